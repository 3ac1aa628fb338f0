"""Start of the server: the page comes before the model is prepared, and a failed preparation ends it."""

from __future__ import annotations

import http.client
import json
import time
from pathlib import Path
from typing import Any

import pytest

import r5
from r5.errors import R5Error
from r5.serve.handlers.session import Session
from r5.serve.server import serve
from tests.serve.conftest import SlowReasoner, running


class LateReasoner(SlowReasoner):
    """Reasoner whose first answer waits for a file, or fails."""

    def __init__(self, model: Any, file: Path | None) -> None:
        super().__init__(model)
        self._file = file

    def predict_many(self, examples: r5.Examples) -> list[r5.Prediction]:
        if self._file is None:
            raise ValueError("a broken model")
        while not self._file.exists():
            time.sleep(0.01)
        return super().predict_many(examples)


def _session(kinship_session: Session, file: Path | None) -> Session:
    model: Any = LateReasoner(kinship_session.model, file)
    graph = r5.Graph.from_triples([("a", "mother", "b"), ("b", "brother", "c")])
    return Session(model, "late", r5.load(graph), "family")


def test_the_page_is_sent_while_the_model_is_prepared(kinship_session: Session, tmp_path: Path) -> None:
    file = tmp_path / "ready"
    with running(_session(kinship_session, file)) as (server, _):
        assert server.call("/", method="GET")[0] == 200
        assert server.call("/assets/main.js", method="GET")[0] == 200
        # What the first page shows needs no worker either.
        assert server.call("about", method="GET")[1]["model"]["name"] == "late"
        assert server.call("queries", method="GET")[0] == 200
        asked = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        asked.request("GET", "/api/v1/rules")
        time.sleep(0.2)
        file.touch()
        answer = asked.getresponse()
        assert answer.status == 200
        assert json.loads(answer.read())["total"] > 0
        asked.close()


def test_a_server_that_is_ended_while_the_model_is_prepared_ends(kinship_session: Session, tmp_path: Path) -> None:
    file = tmp_path / "ready"
    with running(_session(kinship_session, file)) as (server, _):
        assert server.call("/", method="GET")[0] == 200
    assert not file.exists()


def test_a_model_that_cannot_be_prepared_ends_the_server(
    kinship_session: Session, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(R5Error, match="could not be started"):
        serve(_session(kinship_session, None), port=0)
    assert "a broken model" in capfd.readouterr().err
