"""StoryNetwork: a classifier of a pair of entities in a story."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from r5.baselines.inputs.stories import StoryBatch
from r5.baselines.networks.attention import AttentiveLSTM
from r5.baselines.networks.convolution import CNN, CNNH
from r5.baselines.networks.recurrent import GRU, LSTM, RNN
from r5.baselines.networks.settings import StorySettings

__all__ = ["StoryNetwork"]


class ProjectedConvolution(nn.Module):
    """Convolution followed by a linear projection to fewer dimensions."""

    def __init__(self, encoder: Any, size: int) -> None:
        super().__init__()
        self.encoder, self.size = encoder, size
        self.projection = nn.Linear(encoder.size, size)

    def encode_tokens(self, vectors: Tensor, tokens: Tensor, lengths: Tensor) -> Tensor:
        """Encode sequences of tokens, see `WideConvolution.encode_tokens`."""
        projected: Tensor = self.projection(self.encoder.encode_tokens(vectors, tokens, lengths))
        return projected


_ENCODERS: dict[str, Callable[[StorySettings], Any]] = {
    "story-rnn": RNN,
    "story-lstm": LSTM,
    "story-gru": GRU,
    "story-cnn": lambda settings: ProjectedConvolution(CNN(settings), settings.projection),
    "story-cnnh": lambda settings: ProjectedConvolution(CNNH(settings), settings.projection),
    "story-mha": AttentiveLSTM,
}


class StoryNetwork(nn.Module):
    """Embedding of tokens, one encoder for the story and for the pair, and a linear classifier of both."""

    def __init__(self, settings: StorySettings, relations: int, answers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(1 + relations + settings.entity_limit, settings.embedding, padding_idx=0)
        self.dropout = nn.Dropout(settings.dropout)
        self.encoder = _ENCODERS[settings.method](settings)
        self.classifier = nn.Linear(2 * self.encoder.size, answers)

    def forward(self, batch: StoryBatch) -> Tensor:
        """Return logits, [stories, answers]."""
        story = self._encode(batch.tokens, batch.lengths)
        pair = self._encode(batch.pairs, torch.full_like(batch.lengths, 2))
        logits: Tensor = self.classifier(self.dropout(torch.cat([story, pair], dim=1)))
        return logits

    def _encode(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        if isinstance(self.encoder, ProjectedConvolution):
            vectors = self.dropout(self.embedding(torch.arange(self.embedding.num_embeddings)))
            return self.encoder.encode_tokens(vectors, tokens, lengths)
        encoded: Tensor = self.encoder(self.dropout(self.embedding(tokens)), lengths)
        return encoded
