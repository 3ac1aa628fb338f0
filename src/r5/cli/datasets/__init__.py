"""Commands that generate and download data sets."""
