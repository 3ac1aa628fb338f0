"""What several tests use: data with known answers, damage, strategies, and ways to run things."""
