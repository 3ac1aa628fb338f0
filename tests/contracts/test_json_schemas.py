"""The JSON schemas of the reference describe what the library and the commands print."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

import r5
from tools.json_schemas import SCHEMAS, schema, schemas_page


@pytest.fixture(scope="module")
def objects() -> dict[str, list[Any]]:
    """Objects of each kind, as the commands print them."""
    kinship = r5.load("kinship", train=60, test=3)
    paths = r5.GrammarReasoner(seed=0, restarts=(0.5,), annealing_steps=4, sparse_steps=2).fit(kinship.train)
    stranger = r5.Graph.from_triples([("Ann", "mother", "Eve"), ("Tom", "brother", "Max")])
    library = r5.load("library", members=20, books=20)
    chains = r5.ChainReasoner(seed=0, epochs=1).fit(library.train)
    answers = chains.complete(head=library.test[0].source, relation=library.test[0].answer_name, top=3, explain=True)
    return {
        "prediction": [
            *(one.to_json(top=3) for one in paths.predict(kinship.test)),
            paths.ask(stranger, "Ann", "Max").to_json(),
        ],
        "completion": [one.to_json() for one in [*answers, *chains.new_facts(3)]],
        "audit": [one.to_json() for one in chains.audit(5)],
        "rule": [one.to_json() for model in (paths, chains) for one in model.rules_.rules[:100]],
        "evaluation": [r5.evaluate(paths, kinship.test, kinship.rules).to_json()],
        "ranking": [r5.rank(chains, library.test).to_json()],
    }


@pytest.mark.parametrize("name", SCHEMAS)
def test_objects_follow_their_schema(name: str, objects: dict[str, list[Any]]) -> None:
    assert objects[name]
    validator = jsonschema.Draft202012Validator(schema(name))
    for one in objects[name]:
        validator.validate(json.loads(json.dumps(one)))


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_further_field_does_not_follow_the_schema(name: str, objects: dict[str, list[Any]]) -> None:
    with pytest.raises(jsonschema.ValidationError, match="unexpected"):
        jsonschema.validate(json.loads(json.dumps({**objects[name][0], "more": 1})), schema(name))


def test_the_page_has_every_field() -> None:
    page = schemas_page()
    for name, (_, own) in SCHEMAS.items():
        section = page.split(f"## {name.capitalize()}\n")[1].split("\n## ")[0]
        assert [field for field in own["properties"] if f"| `{field}` |" not in section] == []
