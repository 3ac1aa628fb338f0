"""StoryNetwork: from the facts of a story and a pair of its entities to what these are to each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from r5.baselines.attention import AttentiveLSTM
from r5.baselines.convolution import CNN, CNNH
from r5.baselines.recurrent import GRU, LSTM, RNN
from r5.baselines.settings import StorySettings
from r5.baselines.story_inputs import StoryBatch

__all__ = ["StoryNetwork"]


class Projected(nn.Module):
    """A convolution whose responses become fewer numbers."""

    def __init__(self, encoder: Any, outputs: int) -> None:
        super().__init__()
        self.encoder, self.size = encoder, outputs
        self.fewer = nn.Linear(encoder.size, outputs)

    def of_tokens(self, vectors: Tensor, tokens: Tensor, lengths: Tensor) -> Tensor:
        """Vectors [kinds, embedding] at tokens [stories, longest] to [stories, outputs]."""
        fewer: Tensor = self.fewer(self.encoder.of_tokens(vectors, tokens, lengths))
        return fewer


_ENCODERS: dict[str, Callable[[StorySettings], Any]] = {
    "story-rnn": RNN,
    "story-lstm": LSTM,
    "story-gru": GRU,
    "story-cnn": lambda settings: Projected(CNN(settings), settings.outputs),
    "story-cnnh": lambda settings: Projected(CNNH(settings), settings.outputs),
    "story-mha": AttentiveLSTM,
}


class StoryNetwork(nn.Module):
    """Tokens as vectors, one encoder that reads the story and, apart from it, the pair, and a linear classifier."""

    def __init__(self, settings: StorySettings, relations: int, answers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(1 + relations + settings.entities, settings.embedding, padding_idx=0)
        self.dropout = nn.Dropout(settings.dropout)
        self.encoder = _ENCODERS[settings.architecture](settings)
        self.classifier = nn.Linear(2 * self.encoder.size, answers)

    def forward(self, batch: StoryBatch) -> Tensor:
        """Logits, [stories, answers]."""
        story = self._code(batch.tokens, batch.lengths)
        pair = self._code(batch.pairs, torch.full_like(batch.lengths, 2))
        logits: Tensor = self.classifier(self.dropout(torch.cat([story, pair], dim=1)))
        return logits

    def _code(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        if isinstance(self.encoder, Projected):
            vectors = self.dropout(self.embedding(torch.arange(self.embedding.num_embeddings)))
            return self.encoder.of_tokens(vectors, tokens, lengths)
        code: Tensor = self.encoder(self.dropout(self.embedding(tokens)), lengths)
        return code
