"""Inference graph of a command: the graph that queries of a data set are answered on, logged on standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from r5.cli.common.console import log
from r5.cli.common.parameters import GraphChoice
from r5.cli.common.progress import spinner
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.dataset import Dataset
    from r5.graph import Graph
    from r5.knowledge.inference_graph import InferenceGraph
    from r5.reasoners.base import Reasoner

__all__ = ["log_other_graph", "move_to_inference_graph"]


def move_to_inference_graph(
    reasoner: Reasoner, data: Dataset, choice: GraphChoice, quiet: bool = False
) -> tuple[Dataset, InferenceGraph | None]:
    """Choose the graph that queries are answered on, log it, and move the queries to it.

    Args:
        reasoner: The model.
        data: The data set.
        choice: The graph to take; `auto` follows the rules of `choose_inference_graph`.
        quiet: True to log nothing.

    Returns:
        The data set on that graph, and the graph; the data set as it is and None if the model is not of the engine
        chains or the examples do not share one graph.

    Raises:
        R5Error: A graph is asked for where each example has its own.
    """
    from r5.data.one_graph import dataset_on
    from r5.knowledge.inference_graph import choose_inference_graph
    from r5.reasoners.chains import ChainReasoner

    if data.graph is None or not isinstance(reasoner, ChainReasoner):
        if choice != "auto":
            raise R5Error(f"--graph is for models of the engine chains and data over one graph, not for {data.name}")
        return data, None
    with spinner("comparing the graphs", quiet):
        chosen = choose_inference_graph(reasoner.graph_, data.graph, None if choice == "auto" else choice)
        moved = data if chosen.pool is data.graph else dataset_on(data, chosen.pool)
    if chosen.kind != "training" or choice != "auto":
        log(chosen.describe(data.name), quiet)
    return moved, chosen


def log_other_graph(reasoner: Reasoner, graph: Graph, name: str, quiet: bool = False) -> None:
    """Log that a graph given to a model of the engine chains is not its training graph, with their common entities.

    Args:
        reasoner: The model.
        graph: The graph that queries are answered on.
        name: Name of the graph.
        quiet: True to log nothing.
    """
    from r5.knowledge.inference_graph import choose_inference_graph
    from r5.reasoners.chains import ChainReasoner

    if quiet or not isinstance(reasoner, ChainReasoner):
        return
    found = choose_inference_graph(reasoner.graph_, graph, "data")
    if found.known_facts < found.facts or graph.number_of_edges < reasoner.graph_.number_of_edges:
        hint = "; --add adds facts to the training graph" if found.known_entities else ""
        log(found.describe(name) + hint)
