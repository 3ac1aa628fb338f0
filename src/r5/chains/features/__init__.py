"""Features of candidates: the rules that reach them, with groundings and walk probabilities."""
