"""Small graphs with rules over them, and names that are hard to write down in a query language."""

from __future__ import annotations

from hypothesis import strategies as st

from r5.graph import Graph
from r5.relations import inverse_name
from r5.rules.formats.text import direct_atom
from r5.rules.ruleset import Rule, RuleSet
from tests.helpers.rule_strategies import ENTITIES, NAMES

__all__ = ["cases", "stored"]

WRITABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6)
KEYWORDS = st.sampled_from(
    ["select", "FROM", "MATCH", "ends", "null", "true", "a;b", "'; DROP TABLE triples; --", "it's", "`", "\\", "}", ">"]
)
SPOKEN = st.one_of(KEYWORDS, WRITABLE, NAMES, ENTITIES).filter(
    lambda name: "\0" not in name and "\\u" not in name.lower()
)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Graph, RuleSet]:
    """Rules over names that are hard to write down, and a small graph of these names."""
    relations = draw(st.lists(SPOKEN, min_size=2, max_size=4, unique=True))
    entities = draw(st.lists(SPOKEN, min_size=2, max_size=4, unique=True))
    relation, entity = st.sampled_from(relations), st.sampled_from(entities)
    triples = draw(st.lists(st.tuples(entity, relation, entity), min_size=1, max_size=12))
    present = sorted({name for head, _, tail in triples for name in (head, tail)})
    step = st.one_of(relation, relation.map(inverse_name).filter(bool))
    chain = st.builds(Rule, step, st.lists(step, min_size=1, max_size=4).map(tuple))
    target = st.sampled_from(present)
    about = st.builds(
        Rule, step, st.lists(step, min_size=1, max_size=2).map(tuple), target=target, ending=st.none() | target
    )
    always = st.builds(Rule, step, st.just(()), target=target)
    return Graph.from_triples(triples), RuleSet.of(draw(st.lists(chain | about | always, min_size=1, max_size=4)))


def stored(graph: Graph) -> list[tuple[str, str, str]]:
    """The distinct facts of a graph as (head, relation, tail), in the direction in which they are stored."""
    facts = dict.fromkeys(direct_atom(name, head, tail) for head, name, tail in graph.triples())
    return [(head, name, tail) for name, head, tail in facts]
