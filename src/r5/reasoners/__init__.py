"""What the engines offer, in the manner of scikit-learn."""
