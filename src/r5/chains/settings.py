"""ChainSettings: the hyperparameters of the chains engine, a sentence on each."""

from __future__ import annotations

from dataclasses import dataclass

from r5._util.settings import Settings, setting

__all__ = ["ChainSettings"]


@dataclass(frozen=True)
class ChainSettings(Settings):
    """One set of defaults serves every graph; each can be changed by name."""

    seed: int = setting(0, least=0, most=2**63 - 1)
    """Decides which facts are mined, which candidates are drawn and in which order weights are learned."""

    max_length: int | None = setting(None, least=1, most=5)
    """The longest chain; None for as long as walks from an entity stay below 10,000, between 3 and 5."""
    rules: int = setting(500, least=0, most=100_000)
    """The most rules of a relation, those whose walks end at the answer most often."""
    rules_limit: int | None = setting(None, least=1)
    """The most rules of the whole model, such as 2,000 to read them all: those with the most influence are weighed once
    more by themselves. None for all."""
    support: int = setting(2, least=1)
    """The least number of mined facts that a chain must connect."""
    mined_facts: int = setting(5_000, least=1)
    """So many facts of a relation are looked at for chains; for fixed entities, all that are learned from."""
    mining_work: int = setting(1_000_000, least=1)
    """So many edges are followed for that, at the most (for chains of 4 twice, of 5 three times as many), ..."""
    total_mining_work: int = setting(500_000_000, least=1)
    """... and so many for all relations and directions together, each having the same share."""
    constants: int = setting(2_000, least=0, most=100_000)
    """The most rules of a relation and direction about fixed entities, `h(X, c) <= b(X, d)`: those that tell most about
    the answer. As many more, `h(X, c) <=`, say how usual the most frequent answers are."""
    constant_support: int = setting(5, least=1)
    """So many facts must have what such a rule asks for and its answer, or should have by chance and do not; of more
    than `mined_facts`, as many in proportion."""
    regressors: int = setting(50, least=0, most=500)
    """Further such rules tell each usual `h(X, c)` by so many others, `b(X, d)`, those that go with it most, weighed
    together by regression. How much they count is told by facts that are not learned from. 0 for none."""
    frontier: int = setting(2_000, least=1, most=1_000_000)
    """A chain that leads to more entities than this says nothing, and is not followed further."""

    queries: int = setting(12_000, least=1)
    """So many facts of a relation and direction are learned from, at the most, ..."""
    total_queries: int = setting(200_000, least=1)
    """... and so many of all together; where there are more, those with the most facts give up first."""
    total_feature_work: int = setting(10_000_000_000, least=1)
    """So many entities are looked at to learn from all questions, about. Where that is not enough, there are fewer
    questions of each relation and direction and, below 100, fewer rules."""
    hard_negatives: int = setting(64, least=0, most=5_000)
    """Wrong answers of a question that are learned from: so many that the rules lead to most often,"""
    reached_negatives: int = setting(32, least=1, most=5_000)
    """so many others that rules lead to,"""
    random_negatives: int = setting(64, least=1, most=5_000)
    """and so many of the rest; the drawn ones count for those they stand for."""
    feature_limit: int = setting(20_000_000, least=1_000)
    """Learning keeps so many uses of rules of one relation at a time, 16 bytes each; questions beyond are left out."""

    epochs: int = setting(4, least=1, most=10_000)
    """How often each question is learned from: the weights are the mean of the second half."""
    learning_rate: float = setting(0.1, above=0)
    """How far one question moves a weight in 10 epochs of 500 questions. With the square root of their number it grows,
    from four fifths of this to five times this: little is learned from in small steps."""
    weight_decay: float = setting(0.001, least=0)
    """How strongly weights are drawn to 0, ..."""
    constant_weight_decay: float = setting(0.1, least=0)
    """... and those of rules about fixed entities, which are many and of few facts each."""

    listed_rules: int = setting(2_000, least=1, most=1_000_000)
    """Maximum number of rules counted on the graph and listed, those with the greatest weights; half of the places are
    for chain rules, half for rules with constants. All rules are used."""
