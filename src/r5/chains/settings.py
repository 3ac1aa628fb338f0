"""ChainSettings: the hyperparameters of the chains engine."""

from __future__ import annotations

from dataclasses import dataclass

from r5._util.settings import Settings, setting

__all__ = ["ChainSettings"]


@dataclass(frozen=True)
class ChainSettings(Settings):
    """Hyperparameters of the chains engine; one set of defaults serves every graph."""

    seed: int = setting(0, least=0, most=2**63 - 1)
    """Random seed of the mined facts, the sampled negatives and the order of training."""

    max_length: int | None = setting(None, least=1, most=5)
    """Maximum length of a chain. None for the largest length, from 3 to 5, at which walks from an entity reach fewer
    than 10,000 entities."""
    rules: int = setting(500, least=0, most=100_000)
    """Maximum number of mined chain rules per relation: those whose random walks end at the answer most often. Rules
    with a single step are added."""
    rules_limit: int | None = setting(None, least=1)
    """Maximum number of rules of the model, such as 2,000 for a model to be read in full. The rules with the greatest
    influence stay and are trained again. None for no limit."""
    support: int = setting(2, least=1)
    """Minimum number of mined facts that a chain connects."""
    mined_facts: int = setting(5_000, least=1)
    """Maximum number of facts of a relation and direction that chains are mined from."""
    mining_work: int = setting(1_000_000, least=1)
    """Maximum number of edges that mining follows per relation and direction; twice as many for chains of length 4,
    three times as many for length 5. Relations with few facts have fewer on graphs with more than 100 of them."""
    total_mining_work: int = setting(500_000_000, least=1)
    """Maximum number of edges that mining follows for all relations and directions, each of which gets the same
    share."""
    similarity: bool = setting(True)
    """Use similar entities as evidence beside the rules; held-out facts set its weights."""
    frontier: int = setting(2_000, least=1, most=1_000_000)
    """Maximum number of entities that a chain reaches for a query; a chain that reaches more does not apply to it."""

    queries: int = setting(12_000, least=1)
    """Maximum number of training queries per relation and direction."""
    total_queries: int = setting(200_000, least=1)
    """Maximum number of training queries of all relations and directions; the largest relations are cut first."""
    total_feature_work: int = setting(10_000_000_000, least=1)
    """Approximate number of entities that training visits to compute features. Beyond it, each relation and direction
    has fewer queries and, below 100 queries, fewer rules."""
    reached_negatives: int = setting(96, least=1, most=10_000)
    """Number of negatives per query that are sampled from the candidates that rules reach. Each counts for the
    candidates that it represents."""
    random_negatives: int = setting(64, least=1, most=5_000)
    """Number of negatives per query that are sampled from the candidates that no rule reaches. Each counts for the
    candidates that it represents."""
    feature_limit: int = setting(20_000_000, least=1_000)
    """Maximum number of features in memory, one for each rule and candidate that it reaches, for one relation; 16 bytes
    each. Queries beyond the limit are left out."""

    epochs: int = setting(4, least=1, most=10_000)
    """Number of epochs."""
    learning_rate: float = setting(0.1, above=0)
    """Learning rate of Adagrad for 10 epochs of 500 queries. It scales with sqrt(queries / 500), clipped to [0.8, 5],
    and with 10 / epochs."""
    weight_decay: float = setting(0.001, least=0)
    """L2 penalty of the weights of chain rules and entity biases."""
    constant_weight_decay: float = setting(0.1, least=0)
    """L2 penalty of the weights of given rules with constants (`from_rules`), which have few facts each."""

    listed_rules: int = setting(2_000, least=1, most=1_000_000)
    """Maximum number of rules counted on the graph and listed, those with the greatest weights; half of the places are
    for chain rules, half for rules with constants. All rules are used."""
