"""Ablation studies: one engine with each of its mechanisms switched off alone."""
