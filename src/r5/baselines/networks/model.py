"""NetworkModel: a trained network with its reader."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from r5.baselines.model import AnswerStatistics, BaselineModel, rank_answers
from r5.baselines.networks.readers import make_reader
from r5.baselines.networks.settings import SequenceSettings, TrainingSettings
from r5.baselines.networks.training import predict_answers
from r5.baselines.seeding import seed_torch
from r5.derivations.derivation import Prediction
from r5.derivations.path_facts import explain_no_path
from r5.examples import Example, Examples
from r5.paths.selection import select_paths
from r5.rules.ruleset import RuleSet
from r5.storage.folder import StoredModel

__all__ = ["NetworkModel"]


class NetworkModel(BaselineModel):
    """Trained network; it has no rules and no derivations."""

    def __init__(self, settings: TrainingSettings, statistics: AnswerStatistics, network: nn.Module) -> None:
        self.settings = settings
        self.statistics = statistics
        self.network = network
        self.rules = RuleSet()

    def score_answers(self, examples: Examples) -> NDArray[np.float64]:
        """Return the probability of each answer, [examples, answers]; zeros for an example without inputs."""
        bags = make_reader(self.settings).read(examples, self.statistics.index, self.statistics.vocabulary)
        with seed_torch(self.settings.seed):
            return predict_answers(self.network, bags)

    def predict(self, examples: Examples, explain: bool) -> list[Prediction]:
        """Return the most probable answer of each query; a sequence encoder abstains where there is no path."""
        rows, names = self.score_answers(examples), self.statistics.names
        return [rank_answers(row, names) or self._abstain(examples[number]) for number, row in enumerate(rows)]

    def _abstain(self, example: Example) -> Prediction:
        settings = self.settings
        if not isinstance(settings, SequenceSettings):
            return Prediction(None, reason="there is nothing to read")
        paths = select_paths(Examples.of([example]), settings.policy, settings, nodes=False)
        return Prediction(None, reason=explain_no_path(example, settings.direct, bool(paths.complete[0])))

    def parameters(self) -> dict[str, NDArray[Any]]:
        """Return the weights of the network."""
        return {f"network.{name}": value.detach().numpy() for name, value in self.network.state_dict().items()}

    @classmethod
    def restore(cls, settings: TrainingSettings, statistics: AnswerStatistics, stored: StoredModel) -> Self:
        """Return the network of a model folder.

        Raises:
            ModelError: A weight is missing or does not have the shape that the settings ask for.

        """
        # The meta device takes no memory: the settings of a folder may ask for any amount, its arrays are there.
        with torch.device("meta"):
            network = make_reader(settings).make_network(statistics.index)
        wanted: Mapping[str, torch.Tensor] = network.state_dict()
        weights = {
            name: torch.from_numpy(stored.array(f"network.{name}", tuple(value.shape)).astype(np.float32))
            for name, value in wanted.items()
        }
        network.load_state_dict(weights, assign=True)
        return cls(settings, statistics, network.eval())
