"""Neural networks that classify the relation of two entities: sequence encoders, story encoders and graph networks."""
