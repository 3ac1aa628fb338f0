"""Training: rules and weights of one relation at a time."""
