"""A Ray on this machine for tests, in a process of its own, which ends when its input does.

It is small, without a dashboard, and can be reached from this machine alone. Its first line says where.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0")
    import ray

    small = {"num_cpus": 2, "object_store_memory": 80 << 20, "include_dashboard": False}
    head = ray.init(address="local", logging_level="ERROR", log_to_driver=False, **small)
    print(head.address_info["gcs_address"], flush=True)
    sys.stdin.read()
    ray.shutdown()
