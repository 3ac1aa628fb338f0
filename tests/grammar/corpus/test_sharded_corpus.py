"""Queries in files: what is learned is what one would learn from all of them at once."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import r5
from r5.data.path_shards import PathShards
from r5.errors import R5Error
from r5.grammar.corpus import batches
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.corpus.sharded_corpus import survey
from r5.grammar.rule_index import RuleIndex
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.em import expect
from r5.grammar.training.rule_candidates import uniform_grammar
from r5.grammar.training.trainer import learn
from r5.parallel.local_cluster import LocalCluster
from tests.helpers.groups import cyclic, draw

QUICK = {"restarts": (0.5, 2.0), "annealing_steps": 10, "sparse_steps": 5}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Chains of the five rotations of a pentagon, in three files, the last of which has only long ones."""
    place = tmp_path / "rotations.paths"
    place.mkdir()
    for number, lengths in enumerate(([2, 3], [2, 3, 4], [4])):
        paths, labels = draw(cyclic(5), 80, lengths, 0.0, number)
        rows = ({"path": [f"r{x}" for x in path], "answer": f"r{y}"} for path, y in zip(paths, labels, strict=True))
        (place / f"{number}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return place


def at_once(folder: Path) -> Corpus:
    rows = [json.loads(line) for file in sorted(folder.iterdir()) for line in file.read_text().splitlines()]
    paths = [(tuple(int(name[1:]) for name in row["path"]),) for row in rows]
    return Corpus.of(paths, [int(row["answer"][1:]) for row in rows], 5)


def test_shards_have_the_counts_of_the_whole_corpus(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "_CELL_ENTRIES", 700)
    whole = at_once(folder)
    with LocalCluster(2) as cluster:
        corpus = survey(PathShards.of(folder), cluster)
        assert (corpus.names, corpus.relations) == (("r0", "r1", "r2", "r3", "r4"), 5)
        assert (corpus.lengths, corpus.up_to(3).lengths, corpus.weight) == ([2, 3, 4], [2, 3], 240.0)
        np.testing.assert_allclose(corpus.frequency, whole.plans()[0].frequency, rtol=1e-12)
        model = uniform_grammar(RuleIndex.full(5), noise=0.1)
        for mine, theirs in (
            (corpus.distribute(cluster), whole),
            (corpus.up_to(2).distribute(cluster), whole.up_to(2)),
        ):
            found, wanted = expect(model, mine), expect(model, theirs)
            np.testing.assert_allclose(found.rules, wanted.rules, rtol=1e-9)
            np.testing.assert_allclose(found.log_likelihood, wanted.log_likelihood, rtol=1e-12)
        assert corpus.shortest_part(10**9) is corpus
        few = corpus.shortest_part(30)
        assert few.lengths in ([2], [2, 3])
        assert 0 < len(few.examples) < len(whole.examples) / 2
        assert few.weight == pytest.approx(240.0)
        assert corpus.digest() != survey(PathShards(PathShards.of(folder).files[:2]), cluster).digest()


def test_grammar_does_not_depend_on_the_workers(folder: Path, tmp_path: Path) -> None:
    settings = GrammarSettings(seed=1, step_work_limit=1.0, **QUICK)  # type: ignore[arg-type]
    learned, samples = [], []
    for threads in (1, 2):
        with LocalCluster(threads) as cluster:
            corpus = survey(PathShards.of(folder), cluster)
            samples.append(corpus.sample(7, 0))
            learned.append(learn(corpus, settings, cluster=cluster))
    assert samples[0] == samples[1]
    assert len(samples[0]) == len(set(samples[0])) == 9  # three of each file
    assert learned[0].counts.rules.tobytes() == learned[1].counts.rules.tobytes()
    model = r5.GrammarReasoner(seed=1, step_work_limit=1.0, **QUICK).fit(PathShards.of(folder))
    assert model.learned_.counts.rules.tobytes() == learned[0].counts.rules.tobytes()
    assert (model.summary_["examples"], model.summary_["shards"]) == (240, 3)
    graph = r5.Graph.from_triples([("a", "r1", "b"), ("b", "r2", "c"), ("c", "r4", "d")])
    assert model.ask(graph, "a", "d").relation == "r2"
    model.save(tmp_path / "model")
    assert r5.load_model(tmp_path / "model").ask(graph, "a", "d").relation == "r2"
    with pytest.raises(R5Error, match="with evidence one"):
        r5.GrammarReasoner(evidence="every").fit(PathShards.of(folder))


def test_many_relations_have_the_rules_suggested_by_shards(folder: Path) -> None:
    settings = GrammarSettings(seed=1, dense_rules=0, **QUICK)  # type: ignore[arg-type]
    with LocalCluster() as cluster:
        found = learn(survey(PathShards.of(folder), cluster), settings, cluster=cluster)
    wanted = learn(at_once(folder), settings)
    assert found.counts.index.keys.tolist() == wanted.counts.index.keys.tolist()
    np.testing.assert_allclose(found.counts.rules, wanted.counts.rules, atol=1e-6)
