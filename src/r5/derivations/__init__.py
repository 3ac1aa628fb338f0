"""How an answer was reached: its steps, as a tree and as a picture."""
