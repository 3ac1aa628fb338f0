"""A benchmark of queries to a knowledge graph: missing facts, wrong facts, relations of a pair."""
