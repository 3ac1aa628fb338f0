"""Rules as queries of databases: one file a language."""
