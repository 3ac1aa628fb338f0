"""Which relation sequences lead from a query's source to its target."""
