"""The dynamic rule memory of Section 2.2: D_rl, D_rls and B_unkn, Equations 1 to 4 and Algorithm 1."""
