"""Charts as SVG: lines, bars and heat maps."""
