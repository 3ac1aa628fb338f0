"""What the tuned engine adds to the paper, one addition a file; each has a setting of its own, off in `paper`."""
