"""Tuning: parameters that are chosen on held-out facts."""
