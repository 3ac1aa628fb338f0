"""The paper's experiments, run and set beside the published figures."""
