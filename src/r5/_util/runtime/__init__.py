"""Resources of a running computation: time budget, threads, memory, batch sizes, progress."""
