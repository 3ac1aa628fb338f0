"""The desk: where a worker reads a request, does what is asked, and writes the answer; nothing it meets ends it."""

from __future__ import annotations

import json
import math
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from r5.errors import R5Error
from r5.serve import asking, judging, looking
from r5.serve.batching import joined
from r5.serve.fields import RequestError
from r5.serve.shelf import Shelf

__all__ = ["HANDLERS", "Desk"]

HANDLERS: dict[str, Callable[[Shelf, dict[str, Any]], Any]] = {
    "about": looking.about,
    "ask": asking.ask,
    "why-not": asking.why_not,
    "suspicious": asking.suspicious,
    "complete": asking.complete,
    "entities": looking.entities,
    "neighbourhood": looking.neighbourhood,
    "questions": looking.questions,
    "rules": judging.rules,
    "rule-examples": judging.rule_examples,
    "accuracy": judging.accuracy,
    "export": looking.export,
    "graphs": looking.upload,
}


class Desk:
    """Answers messages: `{"name", "given", "upload"?}` in, three digits of status and the body out."""

    def __init__(self, shelf: Shelf, most: int) -> None:
        self._shelf, self._most = shelf, most

    def __call__(self, message: bytes) -> bytes:
        """The answer to one message."""
        asked = json.loads(message)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are for whoever runs the server, and were told at its start
            if asked["name"] == "ask-many":
                start = time.process_time()
                answers = self._together(asked["given"])
                return joined(answers, time.process_time() - start)
            return self._safely(lambda: self._done(asked))

    def _safely(self, work: Callable[[], Any]) -> bytes:
        """What work comes to, or what is wrong."""
        try:
            found = work()
            told = found.encode() if isinstance(found, str) else json.dumps(_finite(found), ensure_ascii=False).encode()
        except RequestError as error:
            return _error(error.status, str(error))
        except R5Error as error:
            return _error(400, str(error))
        except MemoryError:
            return _error(503, "this takes more memory than a request may")
        except RecursionError:
            return _error(400, "this is nested too deeply")
        return b"200" + told if len(told) <= self._most else _error(503, "the answer is too large; ask for less")

    def _done(self, message: dict[str, Any]) -> Any:
        for name in message.get("drop", ()):
            self._shelf.uploads.pop(name, None)
        if "upload" in message:
            self._shelf.take_upload(*message["upload"])
        return HANDLERS[message["name"]](self._shelf, message["given"])

    def _together(self, given: list[dict[str, Any]]) -> list[bytes]:
        """Several questions, each with its answer or its problem; if they cannot be asked at once, one by one."""
        try:
            answers = asking.ask_many(self._shelf, given)
        except Exception:
            if len(given) == 1:
                return [self._safely(lambda: asking.ask(self._shelf, given[0]))]
            return [answer for one in given for answer in self._together([one])]
        return [self._safely(partial(_itself, answer)) for answer in answers]


def _itself(value: Any) -> Any:
    return value


def _finite(value: Any) -> Any:
    """The value without numbers that JSON has no word for."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    return [_finite(part) for part in value] if isinstance(value, list | tuple) else value


def _error(status: int, message: str) -> bytes:
    body = json.dumps({"error": {"message": message}}, ensure_ascii=False)
    return str(status).encode() + body.encode("utf-8", "replace")
