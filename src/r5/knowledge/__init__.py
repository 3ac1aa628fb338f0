"""Analysis of one knowledge graph: relation statistics, leakage between splits, contradictions."""
