"""Worker processes: a fork server, a pool with time limits, batches of queries, messages between processes."""
