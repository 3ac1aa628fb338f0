"""Estimating: the paths of queries tell how often their edges are wrong, except in a group."""

from __future__ import annotations

import numpy as np
import pytest

from r5.data.builder import DatasetBuilder, Row
from r5.data.generators.world.dataset import generate_world
from r5.examples import Examples
from r5.grammar.inference.noise_level import expected_noise_rate
from r5.reasoners.grammar import GrammarReasoner
from tests.helpers.groups import Pairs, cyclic, draw

KIND = {"seed": 1, "relations": 12, "rules": 20, "train": 300, "systematic": False}


@pytest.mark.parametrize(("learned", "asked"), [(0.0, 0.1), (0.1, 0.0)])
def test_estimated_share_of_wrong_edges_is_near_the_true_one(learned: float, asked: float) -> None:
    model = GrammarReasoner(restarts=(0.5,)).fit(generate_world(**KIND, wrong_edges=learned, test=6).train)
    test = generate_world(**KIND, wrong_edges=asked, test=200).test
    assert model.estimate_wrong_edges(test) == pytest.approx(asked, abs=0.03)


def _examples(pairs: Pairs) -> Examples:
    builder = DatasetBuilder("group")
    for path, label in zip(*pairs, strict=True):
        edges = [(str(n), f"g{relation}", str(n + 1)) for n, relation in enumerate(path)]
        builder.add("train", Row(edges, "0", str(len(path)), f"g{label}"))
    return builder.build().train


def test_wrong_edges_of_a_group_are_not_estimated() -> None:
    model = GrammarReasoner(restarts=(0.5,)).fit(_examples(draw(cyclic(3), 500, [2, 3], 0.1, seed=0)))
    asked = _examples(draw(cyclic(3), 100, [6], 0.0, seed=1))
    assert model.estimate_wrong_edges(asked) == expected_noise_rate(model.learned_)


def test_group_is_calibrated_with_the_noise_of_training_or_a_given_one() -> None:
    model = GrammarReasoner(restarts=(0.5,)).fit(_examples(draw(cyclic(3), 2000, [2, 3], 0.1, seed=0)))

    def sure_and_right(wrong: float) -> tuple[float, float]:
        asked = _examples(draw(cyclic(3), 2000, [6], wrong, seed=1))
        chances = model.predict_proba(asked)
        wanted = [model.vocabulary_.known.index(name) for name in asked.vocabulary.names(asked.answers)]
        return float(chances.max(axis=1).mean()), float((chances.argmax(axis=1) == wanted).mean())

    sure, right = sure_and_right(0.1)
    assert sure == pytest.approx(right, abs=0.03)
    assert right == pytest.approx(1 / 3 + 2 / 3 * 0.85**6, abs=0.03)  # confusions may make up for each other
    # Without wrong edges the paths are distributed just as before: all answers are right, and none is surer.
    assert sure_and_right(0.0) == pytest.approx((sure, 1.0), abs=0.01)
    model.set_params(wrong_edges=0.0)
    assert sure_and_right(0.0) == pytest.approx((1.0, 1.0), abs=0.01)


def test_noise_estimate_without_queries_is_that_of_training() -> None:
    data = generate_world(train=50, test=6)
    model = GrammarReasoner(restarts=(0.5,)).fit(data.train)
    assert model.estimate_wrong_edges(data.test.select(np.arange(0))) == expected_noise_rate(model.learned_)
