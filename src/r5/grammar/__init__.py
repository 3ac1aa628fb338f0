"""The engine `grammar`: a probabilistic context-free grammar over relation paths, with a label-noise model."""
