"""Training: the weights of rules, one relation at a time."""
