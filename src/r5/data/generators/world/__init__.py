"""Generator of logical worlds with random composition rules, similar to GraphLog."""
