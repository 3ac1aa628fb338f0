"""The policy-value network f_theta: PyTorch module and optimiser, compiled forward pass, replay buffer."""
