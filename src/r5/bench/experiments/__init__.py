"""Published experiments: their files, and the runs that they need."""
