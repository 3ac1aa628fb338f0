"""Checkpoints of derivations: whatever was written, a resumed derivation yields the same facts."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from r5.errors import DataError
from r5.graph import Graph
from r5.rules.derivation_checkpoint import DerivationCheckpoint, fingerprint
from r5.rules.materialisation import derive_facts
from r5.rules.ruleset import Rule, RuleSet
from tests.helpers.rule_cases import cases


def facts(rules: RuleSet, graph: Graph, path: Path, resume: bool, stop: int | None = None) -> list[tuple[object, ...]]:
    """The facts of a run that ends after some blocks."""
    checkpoint = DerivationCheckpoint(path, fingerprint(rules.rules, graph, True, False), resume)
    found: list[tuple[object, ...]] = []
    for number, batch in enumerate(
        derive_facts(rules.rules, graph, fixpoint=True, block_size=5, checkpoint=checkpoint)
    ):
        if number == stop:
            break
        found += [(*fact[:3], fact.rule.key, fact.round) for fact in batch.rows()]
    checkpoint._stream.close()
    return found


@given(cases(), st.integers(0, 6), st.integers(0, 40))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_resumed_derivation_yields_the_same_facts(case: tuple[Graph, RuleSet], stop: int, cut: int) -> None:
    graph, rules = case
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.checkpoint"
        whole = facts(rules, graph, path, resume=False)
        facts(rules, graph, path, resume=False, stop=stop)
        content = path.read_bytes()
        header = len(content.partition(b"\n")[0]) + 1
        path.write_bytes(content[: max(len(content) - cut, header)])
        assert sorted(facts(rules, graph, path, resume=True), key=repr) == sorted(whole, key=repr)
        assert sorted(facts(rules, graph, path, resume=True), key=repr) == sorted(whole, key=repr)


def test_other_runs_and_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.checkpoint"
    graph = Graph.from_triples([("Ann", "mother", "Eve"), ("Eve", "mother", "Una")])
    rules = RuleSet.of([Rule("child", ("mother^-1",), 1.0)])
    facts(rules, graph, path, resume=False)
    assert fingerprint(rules.rules, graph, True, False) != fingerprint(rules.rules, graph, False, False)
    with pytest.raises(DataError, match="is a checkpoint of other rules"):
        DerivationCheckpoint(path, "other", resume=True)
    content = bytearray(path.read_bytes())
    content[content.index(b"\n") + 1] ^= 7
    path.write_bytes(content)
    with pytest.raises(DataError, match="is damaged; start without --resume"):
        facts(rules, graph, path, resume=True)
    path.unlink()
    with pytest.raises(DataError, match="there is no checkpoint to resume"):
        facts(rules, graph, path, resume=True)
