"""What each filter of `completion.finish` is worth: its firings on real predictions, against the truth."""
