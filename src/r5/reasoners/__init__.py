"""Reasoners: the estimators of r5, in the manner of scikit-learn."""
