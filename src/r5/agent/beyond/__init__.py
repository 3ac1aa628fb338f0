"""Additions to the paper, one a file; each has a setting of its own, off in the preset `paper`.

Additions without a file here (hidden answers, unique examples, patience, restarts) are settings under "Beyond the
paper" in `R5Settings`.
"""
