"""The report: one HTML file that shows what a model has learned, how good it is and how it reaches its answers."""
