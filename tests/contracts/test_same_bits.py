"""Models of the engine `grammar` have the same bits on every machine; see docs/explanation/determinism.md."""

from __future__ import annotations

import hashlib

import pytest

import r5
from r5.grammar.storage import to_arrays

pytestmark = pytest.mark.same_everywhere


def _digest(model: r5.GrammarReasoner, data: r5.Dataset) -> str:
    found = hashlib.sha256()
    for name, array in sorted(to_arrays(model.learned_).items()):
        found.update(name.encode() + array.tobytes())
    found.update(model.predict_proba(data.test).tobytes())
    return found.hexdigest()[:16]


@pytest.mark.parametrize(
    ("name", "options", "settings", "digest"),
    [
        ("kinship", {"train": 200, "test": 40}, {}, "34523cc774993237"),
        ("world", {"train": 200, "test": 40, "wrong_edges": 0.25}, {}, "45892a1a446746db"),
        ("world", {"train": 100, "test": 40}, {"dense_rules": 10}, "0df45dc32c14b684"),
    ],
)
def test_weights_and_answers_have_the_bits_of_every_machine(
    name: str, options: dict[str, float], settings: dict[str, object], digest: str
) -> None:
    data = r5.load(name, **options)
    model = r5.GrammarReasoner(seed=0, restarts=(0.3, 0.7), **settings).fit(data.train)
    found = _digest(model, data)
    assert found == digest, "unless what is learned was meant to change, this machine computes otherwise"
