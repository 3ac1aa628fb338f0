"""Where work runs: one core, the threads of this machine, or a Ray cluster; the results are the same bits."""
