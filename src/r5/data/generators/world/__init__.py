"""Worlds: graphs whose relations compose by rules that are drawn, as in GraphLog."""
