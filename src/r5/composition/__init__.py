"""Composition tables: the relations that each pair leaves possible, where every path must allow the answer."""
