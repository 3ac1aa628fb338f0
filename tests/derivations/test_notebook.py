"""Answers in notebooks: HTML with pictures, escaped names and no requests."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np

from r5.derivations.completion import Completion, Reason
from r5.derivations.derivation import Derivation, Fact, Merge, Prediction
from r5.examples import Examples
from r5.graph import Graph
from r5.ranking import Ranking
from r5.rules.rule import Rule
from r5.rules.ruleset import RuleSet

NAME = "<img src=x onerror=alert(1)>&"


def parsed(html: str) -> str:
    """Return the text of well-formed HTML that loads nothing."""
    root = ElementTree.fromstring(f"<div>{html}</div>")  # noqa: S314  our own
    tags = {one.tag.rpartition("}")[2] for one in root.iter()}
    assert not tags & {"img", "script", "link", "iframe"}
    assert set(re.findall(r"https?://[^\"<]+", html)) <= {"http://www.w3.org/2000/svg"}
    assert "url(" not in html and "@import" not in html
    return " ".join(" ".join(root.itertext()).split())


def test_a_prediction_shows_answer_picture_and_alternatives() -> None:
    path = [Fact("Ann", "mother", NAME), Fact(NAME, "brother", "Tom")]
    steps = Derivation.replay(path, [Merge(0, "uncle")])
    others = tuple(Prediction(f"r{n}", 0.01) for n in range(12))
    html = Prediction("uncle", 0.9, derivation=steps, alternatives=others)._repr_html_()
    assert html.count("<svg") == 1
    told = parsed(html)
    assert told.startswith("uncle (0.900)") and NAME in told
    assert "r9 0.010" in told and "r10 0.010" not in told and "and 2 more" in told


def test_a_prediction_without_an_answer_says_why() -> None:
    refused = Prediction(None, reason=f"no path leads to {NAME}", alternatives=(Prediction("aunt", 0.2),))
    assert parsed(refused._repr_html_()).startswith(f"cannot say: no path leads to {NAME} other answer")
    assert "<svg" not in refused._repr_html_()
    known = Prediction("uncle", 0.4, known=True, alternatives=(Prediction("aunt", 0.2, known=True),))
    assert parsed(known._repr_html_()) == "uncle (in the graph) other answer probability aunt in the graph"


def test_a_completion_shows_its_reasons_if_it_has_them() -> None:
    fact = Fact("Ann", "likes", NAME)
    reason = Reason(Rule("uncle", ("likes",)), 1.0, (fact,))
    html = Completion(NAME, 0.75, 1.0, (reason,), "Ann", "uncle", None)._repr_html_()
    assert html.count("<svg") == 1
    assert parsed(html).startswith(f"Ann -uncle-> {NAME} P(fact) 0.750")
    assert "<svg" not in Completion(NAME, 0.75, 1.0, (), "Ann", "uncle")._repr_html_()


def test_rules_and_rankings_are_tables() -> None:
    told = parsed(RuleSet.of([Rule(NAME, ("a", "b"), probability=0.5, pca=0.75)])._repr_html_())
    assert told.startswith("rule probability pca") and told.endswith("0.5 0.75")
    part = {"n": 2, "mrr": 0.5, "hits": {"1": 0.25, "3": 0.5, "10": 1.0}}
    graph = Graph.from_triples([("a", "r", "b")])
    ranking = Ranking(
        mrr=0.5,
        hits={1: 0.25, 3: 0.5, 10: 1.0},
        n=2,
        ties="realistic",
        both_sides=True,
        by_relation={NAME: part, **{f"r{n}": part for n in range(25)}},
        by_direction={"tail": part, "head": part},
        seconds=0.1,
        facts=Examples.empty(graph.vocabulary),
        ranks=np.zeros((0, 2)),
    )
    told = parsed(ranking._repr_html_())
    assert told.startswith("queries MRR Hits@1 Hits@3 Hits@10 all 2 0.500 0.250 0.500 1.000 tail queries 2 0.500")
    assert NAME in told and told.endswith("and 6 more relations")
