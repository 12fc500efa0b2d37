"""Documentation packs: what people write of a language, read, checked, kept and looked up."""
