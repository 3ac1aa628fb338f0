"""Tests of `r5 bench discovery`."""
