"""PathNetwork: from the relations of a path to what its ends are to each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from r5.baselines.attention import MHA
from r5.baselines.convolution import CNN, CNNH
from r5.baselines.path_inputs import PathBatch
from r5.baselines.recurrent import GRU, LSTM, RNN
from r5.baselines.settings import SequenceSettings

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
    """Relations as vectors, an encoder that makes one vector of them, and a linear classifier."""

    def __init__(self, settings: SequenceSettings, relations: int, answers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(relations + 1, settings.embedding, padding_idx=0)
        self.dropout = nn.Dropout(settings.dropout)
        self.encoder = _ENCODERS[settings.architecture](settings)
        self.classifier = nn.Linear(self.encoder.size, answers)

    def forward(self, batch: PathBatch) -> Tensor:
        """Logits, [paths, answers]."""
        code = self.encoder(self.dropout(self.embedding(batch.relations)), batch.lengths)
        logits: Tensor = self.classifier(self.dropout(code))
        return logits
