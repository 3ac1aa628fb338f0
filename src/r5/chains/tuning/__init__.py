"""Tuning: what is chosen on held-out facts."""
