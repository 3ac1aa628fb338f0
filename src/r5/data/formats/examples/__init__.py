"""Data sets whose examples have graphs of their own."""
