"""The file: how it is opened, read, written and laid out."""
