"""Indexes of a graph: steps in compressed rows, known answers, plausibility of steps."""
