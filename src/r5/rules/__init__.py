"""Rules by name: rule sets, support on a graph, unfolding, comparison and file formats."""
