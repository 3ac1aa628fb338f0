"""Chain models and their graphs as arrays, and back; inconsistent arrays are refused."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5._util.ragged import Ragged
from r5.chains.calibration.fact_features import FEATURES
from r5.chains.calibration.fact_probability import COEFFICIENTS, FactCalibration
from r5.chains.features.constant_index import NO_CONSTANTS
from r5.chains.features.walk_kernels import DEEPEST
from r5.chains.graph.step_graph import IdArray
from r5.chains.model import ChainModel, RelationModel, Temperature
from r5.chains.similarity.evidence import SimilarityWeights
from r5.chains.training.weight_kernels import Weights
from r5.chains.tuning.exclusions import Exclusions
from r5.graph import Graph
from r5.storage.folder import ModelError, StoredModel

__all__ = ["graph_from_stored", "graph_to_arrays", "model_from_stored", "model_to_arrays"]

Arrays = Mapping[str, NDArray[Any]]


def graph_to_arrays(graph: Graph) -> Arrays:
    """Return the edges and the names of the entities, the latter in one array of bytes."""
    names = [name.encode() for name in graph.entities]
    offsets = np.zeros(len(names) + 1, np.int64)
    np.cumsum([len(name) for name in names], out=offsets[1:])
    edges = np.stack([graph.sources, graph.relations, graph.targets, graph.facts]).astype(np.int32)
    return {
        "entity_names": np.frombuffer(b"".join(names), np.uint8),
        "entity_offsets": offsets,
        "edges": edges,
    }


def graph_from_stored(stored: StoredModel) -> Graph:
    """Return the graph of a model folder."""
    text = stored.array("entity_names", (None,), "u").tobytes()
    offsets = stored.array("entity_offsets", (None,), "i", 0, len(text))
    if not offsets.size or offsets[0] != 0 or offsets[-1] != len(text) or (np.diff(offsets) < 0).any():
        raise ModelError("the names of the model's entities do not fit together")
    ends = offsets.tolist()
    try:
        names = tuple(text[a:b].decode() for a, b in pairwise(ends))
    except UnicodeDecodeError:
        raise ModelError("the names of the model's entities are not Unicode") from None
    edges = stored.array("edges", (4, None), "i", 0)
    if edges.shape[1]:
        if max(edges[0].max(), edges[2].max()) >= len(names) or edges[1].max() >= len(stored.vocabulary):
            raise ModelError("the model's graph has entities or relations without names")
        if edges[3].max() > edges.shape[1] * 4 + 2**20:
            raise ModelError("the model's graph has facts with numbers that are too high")
    return Graph(stored.vocabulary, names, *(np.ascontiguousarray(row, np.int32) for row in edges))


def model_to_arrays(model: ChainModel) -> Arrays:
    """Return the arrays of a model, those of all targets concatenated."""
    targets = list(model.targets.values())
    bodies = Ragged.of([body for target in targets for body in target.bodies])
    steps = 2 * len(model.relations)
    return {
        "symmetric": model.symmetric.astype(np.int8),
        "targets": np.array([target.step for target in targets], np.int64),
        "target_rules": np.array([len(target.bodies) for target in targets], np.int64),
        "target_constants": np.array([len(target.constants) for target in targets], np.int64),
        "constants": np.concatenate([NO_CONSTANTS, *(target.constants for target in targets)]),
        "bodies": bodies.values,
        "body_offsets": bodies.offsets,
        "rule_weights": np.concatenate([np.zeros((0, 3)), *(target.weights.rules for target in targets)]),
        "step_weights": np.array([target.weights.steps for target in targets]).reshape(len(targets), steps, 3),
        "start_weights": np.array([target.weights.start[0] for target in targets]),
        "temperature": np.array(model.temperature),
        "similarity": np.array(model.similarity),
        "exclusions": model.exclusions.pairs,
        "exclusion_log_odds": model.exclusions.log_odds,
        "exclusion_strength": np.array([model.exclusions.strength]),
        "rule_confidences": np.concatenate([np.zeros(0), *(model.confidences_of(target) for target in targets)]),
        "fact_scale": np.stack([model.facts.mean, model.facts.scale]),
        "fact_coefficients": model.facts.coefficients,
        "fact_level": np.array([model.facts.level, float(model.facts.returned)]),
    }


def model_from_stored(stored: StoredModel, frontier: int, entities: tuple[str, ...]) -> ChainModel:
    """Return the model of a folder, over the relations of its vocabulary."""
    relations = stored.vocabulary.known
    steps = 2 * len(relations)
    symmetric = stored.array("symmetric", (len(relations),), "i", 0, 1).astype(np.bool_)
    numbers = stored.array("targets", (None,), "i", 0, steps - 1).tolist()
    counts = stored.array("target_rules", (len(numbers),), "i", 0).tolist()
    total = sum(counts)
    offsets = stored.array("body_offsets", (total + 1,), "i", 0)
    values = stored.array("bodies", (None,), "i", 0, steps - 1)
    lengths = np.diff(offsets)
    if offsets[0] != 0 or offsets[-1] != values.size or (lengths < 1).any() or (lengths > DEEPEST).any():
        raise ModelError("the bodies of the model's rules do not fit together")
    fixed = stored.array("target_constants", (len(numbers),), "i", 0).tolist()
    constants = _constants(stored, sum(fixed), steps, len(entities))
    rules = stored.array("rule_weights", (total + sum(fixed), 3))
    of_steps = stored.array("step_weights", (len(numbers), steps, 3))
    starts = stored.array("start_weights", (len(numbers),))
    temperature = Temperature(*stored.array("temperature", (3,), "f", 0.0, 1e6).tolist())
    if temperature.base < 1e-6 or temperature.rise > 10.0 or temperature.spread > 1.0:
        raise ModelError("the model's temperature is not one")
    bodies = [tuple(body) for body in Ragged(values.astype(np.int32), offsets.astype(np.int64)).rows()]
    shares = stored.array("rule_confidences", (total + sum(fixed),), "f", 0.0, 1.0).astype(np.float64)
    confidences: dict[int, NDArray[Any]] = {}
    targets, first, before, weighed = {}, 0, 0, 0
    for place, (step, count, more) in enumerate(zip(numbers, counts, fixed, strict=True)):
        own = tuple(bodies[first : first + count])
        if len(set(own)) != count or step in targets:
            raise ModelError("the model has a rule twice")
        weights = Weights(
            np.ascontiguousarray(rules[weighed : weighed + count + more], np.float64),
            np.ascontiguousarray(of_steps[place], np.float64),
            np.array([starts[place]], np.float64),
        )
        targets[step] = RelationModel(step, own, constants[before : before + more], weights)
        confidences[step] = np.ascontiguousarray(shares[weighed : weighed + count + more])
        first, before, weighed = first + count, before + more, weighed + count + more
    exclusions = _exclusions(stored, len(relations))
    facts = _fact_calibration(stored)
    similarity = SimilarityWeights(*stored.array("similarity", (2,), "f", 0.0, 1e6).tolist())
    return ChainModel(
        relations, symmetric, targets, frontier, entities, temperature, exclusions, facts, similarity, confidences
    )


def _fact_calibration(stored: StoredModel) -> FactCalibration:
    """Read the calibration of P(fact)."""
    mean, scale = stored.array("fact_scale", (2, len(FEATURES)), "f").astype(np.float64)
    coefficients = stored.array("fact_coefficients", (None,), "f").astype(np.float64)
    level, returned = stored.array("fact_level", (2,), "f", 0.0, 1.0).tolist()
    if coefficients.size not in (0, COEFFICIENTS) or (scale <= 0.0).any():
        raise ModelError("the model's calibration of facts does not fit together")
    return FactCalibration(mean, scale, coefficients, level, returned > 0.0)


def _exclusions(stored: StoredModel, relations: int) -> Exclusions:
    """Read the exclusions; those of one relation are consecutive."""
    pairs = stored.array("exclusions", (None, 2), "i", 0, relations - 1).astype(np.int64)
    if (np.diff(pairs @ np.array([relations, 1])) <= 0).any():
        raise ModelError("the exclusions among the model's relations are not in order")
    log_odds = stored.array("exclusion_log_odds", (len(pairs),)).astype(np.float64)
    return Exclusions(float(stored.array("exclusion_strength", (1,), "f", 0.0, 100.0)[0]), pairs, log_odds)


def _constants(stored: StoredModel, count: int, steps: int, entities: int) -> IdArray:
    """Read the rules with constants of all targets."""
    found = stored.array("constants", (count, 4), "i", -1).astype(np.int64)
    step, having, answer, reversed_ = found.T
    fits = (step < steps) & (having < entities) & ((step < 0) == (having < 0)) & (answer >= 0) & (answer < entities)
    if not (fits & (reversed_ >= 0) & (reversed_ <= 1)).all():
        raise ModelError("the model has rules about entities or relations that it does not know")
    return found
