"""Search for the relation sequences along the paths of a query."""
