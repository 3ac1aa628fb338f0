"""A benchmark of what users ask of a knowledge graph: missing facts, wrong facts, relations of a pair."""
