"""Last lines of training: quality on held-out data and the next command."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import r5
from r5.cli.learning.training_end import describe_quality, suggest_command


def trained(engine: str = "r5", **summary: Any) -> Any:
    return SimpleNamespace(engine=engine, summary_=summary)


@pytest.mark.parametrize(
    "summary, words",
    [
        (
            {"held_out": {"mrr": 0.5, "hits@10": 0.75, "facts": 1200, "split": "valid"}},
            "MRR 0.500, Hits@10 0.750 on 1,200 facts of the valid split",
        ),
        (
            {"held_out": {"mrr": 0.5, "hits@10": 0.75, "facts": 4, "split": "train"}},
            "4 facts held out of the training data",
        ),
        ({"held_out": {"accuracy": 0.9, "examples": 300}}, "accuracy 0.900 in cross-validation on 300 examples"),
        (
            {
                "best_restart": 0,
                "best_epoch": 2,
                "history": [{"restart": 0, "epoch": n, "valid_accuracy": n / 10} for n in (1, 2, 3)],
            },
            "accuracy 0.200 on the validation data",
        ),
        ({"training_answers": 0.97}, "training accuracy 0.970; nothing was held out"),
        ({}, "nothing was held out"),
    ],
)
def test_quality_says_on_what_it_was_measured(summary: dict[str, Any], words: str) -> None:
    assert words in describe_quality(trained(**summary))


def test_the_next_command_fits_the_model() -> None:
    families = r5.load("kinship", train=5, test=5)
    none = r5.load("kinship", train=5, test=0)
    assert suggest_command(trained("chains"), Path("my model"), "x", families).startswith(
        "r5 complete 'my model' --new"
    )
    assert suggest_command(trained("grammar"), Path("m"), "kinship", families) == "r5 evaluate m kinship"
    assert suggest_command(trained("grammar"), Path("m"), "kinship", none) == "r5 rules m --top 10"
    assert suggest_command(trained("grammar"), Path("m"), "shards", None) == "r5 rules m --top 10"


def test_held_out_ranks_are_those_of_the_valid_split() -> None:
    data = r5.load("library", members=40, books=40)
    model = r5.ChainReasoner(seed=0, epochs=4).fit(data.train, data.valid)
    held = model.summary_["held_out"]
    ranked = r5.rank(model, data.valid)
    assert held["facts"] == len(data.valid)
    assert held["mrr"] == pytest.approx(ranked.mrr)
    assert held["hits@10"] == pytest.approx(ranked.hits[10])


def test_facts_held_out_of_the_training_data_are_ranked_by_rules_learned_without_them() -> None:
    graph = r5.load("library", members=40, books=40).train.pool
    held = r5.ChainReasoner(seed=0, epochs=4).fit(graph).summary_["held_out"]
    assert held["split"] == "train"
    assert 0 < held["facts"] <= 0.1 * len(graph.sources)
    assert 0.0 < held["mrr"] < 1.0


def test_the_grammar_reports_its_cross_validated_accuracy() -> None:
    data = r5.load("kinship", train=150, test=0)
    held = r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train).summary_["held_out"]
    assert held["examples"] == len(data.train)
    assert 0.5 < held["accuracy"] <= 1.0
