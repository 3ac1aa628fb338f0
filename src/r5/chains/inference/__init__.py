"""Answers of a fitted chain model: probabilities of facts, discovery of missing facts, audit of known ones."""
