"""The surest new facts of a graph that is too large to ask for all."""

from __future__ import annotations

import pytest

from r5.chains import completing
from r5.reasoners.chains import ChainReasoner
from tests.reasoners.test_chains import GRAPH


def test_on_a_large_graph_some_questions_are_asked_and_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    model = ChainReasoner(seed=0).fit(GRAPH)
    every = {(one.head, one.relation) for one in model.new_facts(1000)}
    monkeypatch.setattr(completing, "_WORK", 0)
    monkeypatch.setattr(completing, "_FEWEST", 5)
    with pytest.warns(UserWarning, match=r"the graph is large: 5 of its \d+ questions"):
        few = {(one.head, one.relation) for one in model.new_facts(1000)}
    assert 0 < len(few) <= 5 < len(every)
    with pytest.warns(UserWarning, match="the graph is large"):
        assert {(one.head, one.relation) for one in model.new_facts(1000)} == few
