"""Rules in files, one format a module."""
