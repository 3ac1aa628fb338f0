"""Mining of rules: chains, rules with constants, and the work they may take."""
