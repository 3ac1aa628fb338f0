"""Calibration: the probability that a fact is true."""
