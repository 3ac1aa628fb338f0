"""Rules by name: one rule, sets of them, and what can be done with them."""
