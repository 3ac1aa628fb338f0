"""Tree search (Section 2.1): PUCT over many trees in lock-step, and the policy pi from visit counts."""
