"""Load test of the explorer: fifty clients without pauses, and ten thousand malformed requests.

Run `python benchmarks/serve_load.py [--clients 50] [--seconds 30] [--requests 10000]`: a kinship model (engine grammar,
seed 0, default data); each client sends the test queries of kinship in its own order. Waiting times are wall-clock
times, so they depend on the load of the machine; processor seconds are those of the server and its workers.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

import psutil

import r5

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.helpers.crowd import crowd
from tests.helpers.requests import ALLOWED, random_request


def fuzz(port: int, count: int) -> Counter[int]:
    """Return the status counts of malformed requests; any other status than expected is an error."""
    random = Random(1)  # noqa: S311
    seen: Counter[int] = Counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for _ in range(count):
        method, path, body, headers = random_request(random)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        seen[answer.status] += 1
        if answer.status not in ALLOWED:
            raise RuntimeError(f"{answer.status} for {method} {path} {body!r}: {content[:200]!r}")
    return seen


def processor_seconds(process: psutil.Process) -> float:
    """Return the processor seconds of a process and its running descendants."""
    all_of_them = [process, *process.children(recursive=True)]
    return sum(sum(one.cpu_times()[:2]) for one in all_of_them)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--clients", type=int, default=50)
    options.add_argument("--seconds", type=float, default=30)
    options.add_argument("--requests", type=int, default=10_000)
    options.add_argument("--model", help="a kinship model; trained if not given")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = given.model or f"{folder}/model"
        if given.model is None:
            r5.GrammarReasoner(seed=0).fit(r5.load("kinship").train).save(model)
        words = [sys.executable, "-m", "r5", "serve", model, "kinship", "--port", "0"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as program:
            address = "" if program.stdout is None else program.stdout.readline()
            port = int(address.strip().rstrip("/").rpartition(":")[2])
            process = psutil.Process(program.pid)
            asyncio.run(crowd(port, 4, 2))  # the first answers wait for compilation
            before = processor_seconds(process)
            waits = asyncio.run(crowd(port, given.clients, given.seconds))
            spent = processor_seconds(process) - before
            at = {share: 1000 * waits[int(share * (len(waits) - 1))] for share in (0.5, 0.95, 0.99)}
            print(f"{given.clients} clients, {given.seconds:g} s: {len(waits):,} answers, no error")
            print(f"{len(waits) / given.seconds:,.0f} a second, {1000 * spent / len(waits):.2f} ms of a processor each")
            print(", ".join(f"{100 * share:g}%: {wait:.0f} ms" for share, wait in at.items()))
            print(f"load of the machine: {psutil.getloadavg()[0]:.1f} on {psutil.cpu_count()} cores")
            print(f"{given.requests:,} odd requests:", dict(sorted(fuzz(port, given.requests).items())))
            program.terminate()


if __name__ == "__main__":
    main()
