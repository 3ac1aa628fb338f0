"""The paper's agent: which relation pair to merge next, and a memory of the rules found on the way."""
