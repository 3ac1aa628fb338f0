"""Data made here, whose true rules are known."""
