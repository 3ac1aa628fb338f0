"""PathNetwork: a classifier of paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from r5.baselines.inputs.paths import PathBatch
from r5.baselines.networks.attention import MHA
from r5.baselines.networks.convolution import CNN, CNNH
from r5.baselines.networks.recurrent import GRU, LSTM, RNN
from r5.baselines.networks.settings import SequenceSettings

__all__ = ["PathNetwork"]

_ENCODERS: dict[str, Callable[[SequenceSettings], Any]] = {
    "rnn": RNN,
    "lstm": LSTM,
    "gru": GRU,
    "cnn": CNN,
    "cnnh": CNNH,
    "mha": MHA,
}


class PathNetwork(nn.Module):
    """Embedding of relations, sequence encoder and linear classifier."""

    def __init__(self, settings: SequenceSettings, relations: int, answers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(relations + 1, settings.embedding, padding_idx=0)
        self.dropout = nn.Dropout(settings.dropout)
        self.encoder = _ENCODERS[settings.method](settings)
        self.classifier = nn.Linear(self.encoder.size, answers)

    def forward(self, batch: PathBatch) -> Tensor:
        """Return logits, [paths, answers]."""
        encoded = self.encoder(self.dropout(self.embedding(batch.relations)), batch.lengths)
        logits: Tensor = self.classifier(self.dropout(encoded))
        return logits
