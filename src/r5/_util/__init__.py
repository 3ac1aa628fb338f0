"""What every part uses and no user sees: kernels, ragged rows, files, pictures, settings."""
