"""Fixtures of the report tests: models on a small noisy world and on hostile names, and a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from r5.data.generators.world.dataset import generate_world
from r5.dataset import Dataset
from r5.examples import Examples
from r5.graph import Graph
from r5.reasoners.base import Reasoner
from r5.reasoners.grammar import GrammarReasoner
from r5.report.findings import Findings, gather_findings
from r5.rules.ruleset import Rule, RuleSet
from tests.helpers.browsing import browser  # noqa: F401  a fixture

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

AUDIT = Path(__file__).with_name("audit.js").read_text(encoding="utf-8")
Open = Callable[..., "Page"]
HOSTILE = "</script><img src=x onerror=\"document.title='owned'\">&'\u2028"


@dataclass(frozen=True)
class Learned:
    """A model and the data of its report."""

    model: Reasoner
    data: Dataset


@pytest.fixture(scope="session")
def learned() -> Learned:
    """Return a model of a world with wrong edges, some wrong answers and some doubted edges."""
    data = generate_world(train=300, valid=0, test=60, wrong_edges=0.25, seed=3)
    return Learned(GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train), data)


@pytest.fixture(scope="session")
def findings(learned: Learned) -> Findings:
    return gather_findings(learned.model, learned.data, name="model")


@pytest.fixture(scope="session")
def hostile() -> Learned:
    """Return a model with markup in all names, and one right, one wrong and one missing answer."""
    first, second, head = f"{HOSTILE}1", f"{HOSTILE}2", f"{HOSTILE}3"
    graph = Graph.from_triples(
        [
            *(("a" + HOSTILE, first, "b"), ("b", second, "c" + HOSTILE), ("a" + HOSTILE, head, "x"), ("y", head, "z")),
            *(("p" + HOSTILE, first, "q"), ("q", second, "r" + HOSTILE)),
        ]
    )
    vocabulary = graph.vocabulary
    node = graph.node
    asked = [("a" + HOSTILE, "c" + HOSTILE, head), ("p" + HOSTILE, "r" + HOSTILE, first), ("x", "z", head)]
    test = Examples.over(
        graph,
        [node(source) for source, _, _ in asked],
        [node(target) for _, target, _ in asked],
        [vocabulary.id(relation) for _, _, relation in asked],
    )
    none = Examples.empty(vocabulary)
    rules = RuleSet.of([Rule(head, (first, second), support=9.0)])
    return Learned(GrammarReasoner.from_rules(rules, vocabulary), Dataset(HOSTILE, none, none, test, rules))


@pytest.fixture
def visit(browser: Browser) -> Iterator[Open]:  # noqa: F811  the fixture
    """Opens a page that must stay silent: no message on the console, no error, no request but for itself."""
    complaints: list[str] = []
    contexts = []

    def go(path: Path, fragment: str = "", width: int = 1280, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 800}, reduced_motion="reduce", **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.append(request.url) if request.url[:5] != "file:" else None)
        page.goto(path.as_uri() + fragment)
        return page

    yield go
    for context in contexts:
        context.close()
    assert [said for said in complaints if said != "data:,"] == []
