"""Training: epochs, restarts, model selection and checkpoints."""
