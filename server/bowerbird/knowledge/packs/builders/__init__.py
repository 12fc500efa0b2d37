"""Builders: documentation as it is published -> a folder of pages that people can read and mend."""
