"""Fixtures of the explorer: running servers of several models."""

from __future__ import annotations

import http.client
import json
import multiprocessing
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import r5
from r5.reasoners.base import Reasoner
from r5.serve.handlers.session import Session
from r5.serve.limits import Limits
from r5.serve.operation import Operation
from tests.helpers.browsing import browser  # noqa: F401  a fixture

pytest.importorskip("uvicorn", reason="the extra serve is not installed")
HOSTILE = "</script><img src=x onerror=\"document.title='owned'\">&'\u2028"
PATIENT = replace(Limits(), seconds=60)
"""Limits of tests of other things: the first answer waits for kernels, and on a busy machine for the processor."""


class SlowReasoner:
    """Reasoner that sleeps, allocates memory or exits at some queries."""

    engine = "slow"

    def __init__(self, model: Reasoner) -> None:
        self._model = model
        self.rules_, self.vocabulary_, self.summary_ = model.rules_, model.vocabulary_, model.summary_

    def without_rules(self, rules: Any) -> SlowReasoner:
        return self

    def predict_many(self, examples: r5.Examples) -> list[r5.Prediction]:
        import time

        for example in examples:
            if example.source == "sleepy":
                time.sleep(60)
            if example.source == "greedy":
                _ = bytearray(4 << 30)
            if example.source == "deadly":
                import os

                os._exit(3)
        return self._model.predict_many(examples)


@dataclass(frozen=True)
class Running:
    """Running server."""

    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def call(
        self, name: str, body: Any = None, method: str = "POST", headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        """Return status and content of a request to the API; JSON is decoded."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        raw = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        given = {} if isinstance(body, bytes | None) else {"content-type": "application/json"}
        path = name if name.startswith("/") else f"/api/v1/{name}"
        connection.request(method, path, raw, {**given, **(headers or {})})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        is_json = (answer.headers.get("content-type") or "").startswith("application/json")
        return answer.status, json.loads(content) if is_json and content else content.decode()


def _serve(session: Session, limits: Limits, remote: bool, operation: Operation, told: Any) -> None:
    from r5.serve.server import serve

    # Let go of inherited files, such as pipes to a browser; their numbers stay taken, for inherited objects close them.
    empty = os.open(os.devnull, os.O_RDWR)
    for name in [path.name for path in Path("/proc/self/fd").iterdir()]:
        if int(name) > 2 and int(name) not in (told.fileno(), empty) and (Path("/proc/self/fd") / name).exists():
            os.dup2(empty, int(name))
    serve(
        session,
        port=0,
        limits=limits,
        allow_remote=remote,
        operation=operation,
        ready=lambda place: told.send((place.port, place.token)),
    )


@contextmanager
def running(
    session: Session, limits: Limits | None = None, remote: bool = False, operation: Operation | None = None
) -> Iterator[tuple[Running, str | None]]:
    """Run a server in a process of its own until the end of the context."""
    context = multiprocessing.get_context("fork")
    heard, told = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(session, limits or PATIENT, remote, operation or Operation(), told))
    process.start()
    assert heard.poll(180)
    port, token = heard.recv()
    try:
        yield Running(port), token
    finally:
        process.terminate()
        process.join(60)
        assert process.exitcode is not None
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", port)) != 0


@pytest.fixture(scope="session")
def kinship_session() -> Session:
    data = r5.load("kinship", train=300, test=10)
    return Session(r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train), "kin", data, "kinship")


@pytest.fixture(scope="session")
def library_session() -> Session:
    data = r5.load("library")
    graph = data.graph
    assert graph is not None
    return Session(r5.ChainReasoner(seed=0).fit(graph), "lib", data, "library")


@pytest.fixture(scope="session")
def hostile_session() -> Session:
    """Entities and relations whose names are markup."""
    first, second, head = f"{HOSTILE}1", f"{HOSTILE}2", f"{HOSTILE}3"
    graph = r5.Graph.from_triples([("a" + HOSTILE, first, "b"), ("b", second, "c" + HOSTILE), ("x", head, "y")])
    rules = r5.RuleSet.of([r5.Rule(head, (first, second), support=9.0)])
    return Session(r5.GrammarReasoner.from_rules(rules, graph.vocabulary), HOSTILE, r5.load(graph), HOSTILE)


@pytest.fixture(scope="session")
def kinship(kinship_session: Session) -> Iterator[Running]:
    with running(kinship_session) as (server, _):
        yield server


@pytest.fixture(scope="session")
def library(library_session: Session) -> Iterator[Running]:
    with running(library_session) as (server, _):
        yield server


@pytest.fixture(scope="session")
def hostile(hostile_session: Session) -> Iterator[Running]:
    with running(hostile_session) as (server, _):
        yield server


@pytest.fixture(scope="session")
def slow(kinship_session: Session) -> Iterator[Running]:
    """Server whose model sleeps, runs out of memory or exits; the time limit is five seconds."""
    family = [("sleepy", "mother", "b"), ("greedy", "mother", "b"), ("deadly", "mother", "b"), ("b", "brother", "c")]
    graph = r5.Graph.from_triples([("quick", "mother", "b"), *family])
    model: Any = SlowReasoner(kinship_session.model)
    limits = replace(Limits(), seconds=5, workers=2, waiting=30)
    with running(Session(model, "slow", r5.load(graph), "family"), limits) as (server, _):
        yield server
