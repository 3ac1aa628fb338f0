"""From a name, a path or an object in memory to a data set."""
