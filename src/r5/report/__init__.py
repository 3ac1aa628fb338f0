"""Report: one HTML file on the rules, accuracy, calibration and derivations of a model."""
