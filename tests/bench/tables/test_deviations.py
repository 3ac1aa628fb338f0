"""Deviations of synthetic means from the published ones."""

from __future__ import annotations

from r5.bench.tables.deviations import deviation_tables
from r5.bench.tables.experiment_tables import ExperimentTables
from tests.helpers.records import HOPS, records_of

DATA = "data_089907f8"


def test_a_cell_is_within_the_published_range_or_shows_the_distance() -> None:
    # Published: LSTM_s .98 ± .04, .95 ± .03, .88 ± .05, .87 ± .04, .81 ± .07, .75 ± .10, .75 ± .09.
    shares = {4: 0.98, 5: 0.92, 6: 0.93, 7: 0.829, 8: 0.5, 9: 0.9}
    lengths = {str(hop): {"n": 10, "accuracy": share} for hop, share in shares.items()}
    records = records_of(HOPS, "LSTM_s", DATA, [0.5, 0.5], by_length=lengths)
    records |= records_of(HOPS, "R5", DATA, [0.5], by_length=lengths)  # no baseline
    records |= records_of(HOPS, "LSTM, reads the path", DATA, [0.5], by_length=lengths)  # nothing published beside it
    text = deviation_tables([HOPS], records)
    assert text.splitlines() == [
        "CLUTRR, trained on stories of 2 and 3 hops (Table 2):",
        "",
        "| system | seeds | 4 hops | 5 hops | 6 hops | 7 hops | 8 hops | 9 hops |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        "| LSTM_s | 2 | within | within | within | -.001 | -.240 | +.050 |",
    ]
    assert ExperimentTables((HOPS,), records).section("spreads") == text


def test_the_mean_over_seeds_is_compared() -> None:
    pair = [{"4": {"n": 10, "accuracy": share}} for share in (0.8, 0.9)]
    records = records_of(HOPS, "LSTM_s", DATA, [0.5, 0.5])
    for one, lengths in zip(records.values(), pair, strict=True):
        one["by_length"] = lengths
    assert deviation_tables([HOPS], records).endswith("| LSTM_s | 2 | -.090 |")


def test_there_is_no_table_without_runs() -> None:
    assert deviation_tables([HOPS], {}) == ""
