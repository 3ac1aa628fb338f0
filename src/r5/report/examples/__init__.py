"""Examples of a report: queries with their graphs and derivations."""
