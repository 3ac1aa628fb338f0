"""Tries of bodies, against the prefixes in order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from r5.chains.features.trie import make_trie

BODIES = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=5).map(tuple), unique=True, max_size=30)


@given(BODIES, st.data())
def test_prefixes_come_in_order_each_before_those_that_continue_it(
    bodies: list[tuple[int, ...]], data: st.DataObject
) -> None:
    numbers = list(range(len(bodies)))
    chosen = data.draw(
        st.one_of(st.none(), st.lists(st.sampled_from(numbers), unique=True) if numbers else st.just([]))
    )
    used = numbers if chosen is None else chosen
    prefixes = sorted({bodies[rule][: size + 1] for rule in used for size in range(len(bodies[rule]))})
    rules = {bodies[rule]: rule for rule in used}
    trie = make_trie(bodies, chosen)
    assert trie.steps.tolist() == [prefix[-1] for prefix in prefixes]
    assert trie.depths.tolist() == [len(prefix) - 1 for prefix in prefixes]
    assert trie.rules.tolist() == [rules.get(prefix, -1) for prefix in prefixes]
    for place, prefix in enumerate(prefixes):
        later = (n for n in range(place + 1, len(prefixes)) if prefixes[n][: len(prefix)] != prefix)
        assert trie.following[place] == next(later, len(prefixes))
    first = [place for place, prefix in enumerate(prefixes) if len(prefix) == 1]
    last = prefixes[first[-1]][0] if first else -1
    assert trie.roots.tolist() == [next(n for n in first if prefixes[n][0] >= step) for step in range(last + 1)]
