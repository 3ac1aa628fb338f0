"""Calibration: probabilities of answers and of facts that match their frequencies."""
