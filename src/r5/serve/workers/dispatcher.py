"""Dispatcher of a worker: from a request to the answer of its handler; no error ends the worker."""

from __future__ import annotations

import json
import math
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from r5.errors import R5Error
from r5.serve.errors import RequestError
from r5.serve.handlers import browsing, completion, entities, neighbourhood, prediction, relations, rules
from r5.serve.handlers.session import Session
from r5.serve.workers.batching import join_answers

__all__ = ["HANDLERS", "SEARCHES", "Dispatcher"]

HANDLERS: dict[str, Callable[[Session, dict[str, Any]], Any]] = {
    "about": browsing.describe_server,
    "ask": prediction.predict,
    "why-not": prediction.compare_answers,
    "suspicious": prediction.find_suspicious_facts,
    "complete": completion.complete,
    "queries": browsing.suggest_queries,
    "entities": entities.search_entities,
    "entity": entities.describe_entity,
    "similar": entities.find_similar,
    "names": entities.check_names,
    "relation": relations.describe_relation,
    "neighbourhood": neighbourhood.find_neighbourhood,
    "questions": browsing.list_examples,
    "rules": rules.list_rules,
    "rule-map": relations.map_rules,
    "rule-examples": rules.find_rule_examples,
    "accuracy": rules.measure_accuracy,
    "export": browsing.export_graph,
    "graphs": browsing.describe_upload,
}
SEARCHES: dict[str, Callable[[Session, dict[str, Any], completion.Report], Any]] = {
    "new-facts": completion.find_new_facts,
    "audit": completion.audit,
    "calibration": relations.measure_calibration,
}
"""Handlers that report their progress."""
_REPORT_SECONDS = 0.2
"""Seconds between two reports of progress, at least."""


class Dispatcher:
    """Message handler: `{"name", "given", "upload"?, "drop"?}` in, three digits of HTTP status and the body out.

    Searches also send reports of their progress, with the status 100.
    """

    def __init__(self, session: Session, max_bytes: int) -> None:
        self._session, self._max_bytes = session, max_bytes

    def __call__(self, message: bytes, report: Callable[[bytes], None] = lambda _: None) -> bytes:
        """Answer one message."""
        request = json.loads(message)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # shown at the start of the server
            if request["name"] == "ask-many":
                start = time.process_time()
                answers = self._predict_batch(request["given"])
                return join_answers(answers, time.process_time() - start)
            return self._encode_result(lambda: self._dispatch(request, report))

    def _encode_result(self, compute: Callable[[], Any]) -> bytes:
        """Run a function and encode its result or its error."""
        try:
            result = compute()
            text = result if isinstance(result, str) else json.dumps(_replace_infinities(result), ensure_ascii=False)
            body = text.encode()
        except RequestError as error:
            return _error(error.status, str(error))
        except R5Error as error:
            return _error(400, str(error))
        except MemoryError:
            return _error(503, "this takes more memory than a request may")
        except RecursionError:
            return _error(400, "this is nested too deeply")
        return b"200" + body if len(body) <= self._max_bytes else _error(503, "the answer is too large; ask for less")

    def _dispatch(self, message: dict[str, Any], report: Callable[[bytes], None]) -> Any:
        for name in message.get("drop", ()):
            self._session.uploads.pop(name, None)
        if "upload" in message:
            self._session.add_upload(*message["upload"])
        if message["name"] in SEARCHES:
            return SEARCHES[message["name"]](self._session, message["given"], _encoded_report(report))
        return HANDLERS[message["name"]](self._session, message["given"])

    def _predict_batch(self, given: list[dict[str, Any]]) -> list[bytes]:
        """Answer queries in one batch; if that fails, one by one, so that each has its answer or its error."""
        try:
            answers = prediction.predict_batch(self._session, given)
        except Exception:
            if len(given) == 1:
                return [self._encode_result(lambda: prediction.predict(self._session, given[0]))]
            return [answer for one in given for answer in self._predict_batch([one])]
        return [self._encode_result(partial(_return, answer)) for answer in answers]


def _encoded_report(report: Callable[[bytes], None]) -> completion.Report:
    """Return a function that reports the progress of a search, now and then."""
    last = 0.0

    def send(stage: str, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= _REPORT_SECONDS:
            last = time.monotonic()
            report(b"100" + json.dumps({"stage": stage, "done": done, "total": total}).encode())

    return send


def _return(value: Any) -> Any:
    return value


def _replace_infinities(value: Any) -> Any:
    """Replace infinities and NaN, which JSON does not have, by None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _replace_infinities(part) for key, part in value.items()}
    return [_replace_infinities(part) for part in value] if isinstance(value, list | tuple) else value


def _error(status: int, message: str) -> bytes:
    body = json.dumps({"error": {"message": message}}, ensure_ascii=False)
    return str(status).encode() + body.encode("utf-8", "replace")
