"""NeuralReasoner: sequence encoders and graph networks behind the interface of the engines, to compare with."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from r5._util.ordering import at_least, top_indices
from r5._util.runtime.budget import Budget
from r5._util.runtime.progress import ProgressCounter
from r5._util.signatures import takes_settings
from r5.baselines.held_out import PARTS, hold_out, longer
from r5.baselines.inputs import Codes
from r5.baselines.settings import (
    VARYING,
    BaselineSettings,
    GraphSettings,
    HeldOut,
    SequenceSettings,
    TrainingSettings,
    settings_of,
)
from r5.derivations.derivation import Prediction
from r5.derivations.facts import why_no_path
from r5.errors import R5Error, need
from r5.examples import Example, Examples
from r5.paths.select import select_paths
from r5.reasoners.base import ProgressCallback, Reasoner
from r5.relations import Vocabulary
from r5.rules.ruleset import RuleSet
from r5.storage.folder import ModelError, StoredModel

if TYPE_CHECKING:
    from torch import nn

    from r5.baselines.reading import Reader
    from r5.baselines.training import Choice, Epoch, ValidationBags

__all__ = ["NeuralReasoner", "ranked", "stored_codes"]

_ALTERNATIVES = 3
_LEAST_PROBABILITY = 0.01
_FEWEST_TO_CHOOSE_WITH = 50
"""Validation data with fewer examples says too little to choose an epoch by."""
_HELD = {
    "short": "the epoch with the best accuracy on a tenth of the training examples, held out",
    "long": "the epoch with the best accuracy on longer examples, put together of a tenth of the training examples",
}


class NeuralReasoner(Reasoner):
    """A network that answers with probabilities and without rules or derivations.

    The `architecture` is one of rnn, lstm, gru, cnn, cnnh and mha, which read the paths between the two entities,
    of gcn, gat, rgcn and egat, which read the whole graph, or of story-rnn, story-lstm and so on, which read all facts
    with the entities they are about. Settings are those of `SequenceSettings`, `GraphSettings` or `StorySettings` in
    `r5.baselines.settings`, by name.

    >>> from r5.data.generators.world.dataset import generate_world
    >>> data = generate_world(train=60, test=20)
    >>> model = NeuralReasoner("gru", seed=0, epochs=12, hidden=32, learning_rate=0.02).fit(data.train)
    >>> model.score(data.train) > 0.9
    True
    """

    settings: TrainingSettings
    codes_: Codes
    network_: nn.Module
    frequencies_: NDArray[np.float64]
    """How often each answer came in training."""
    also_: dict[HeldOut, NeuralReasoner]
    """Of the last training, the models that `also` asked for."""

    @takes_settings(BaselineSettings, varying=VARYING)
    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        self.settings = settings_of(**{"architecture": "lstm", **given})

    @property
    def engine(self) -> str:  # type: ignore[override]
        """Each architecture is an engine of its own."""
        return self.settings.architecture

    def fit(
        self,
        examples: Examples,
        valid: Examples | None = None,
        progress: ProgressCallback | None = None,
        budget: Budget | None = None,
        also: Sequence[HeldOut] = (),
    ) -> Self:
        """Learn from examples; the epoch is chosen by validation data, if there is enough, or else by training loss.

        With `also`, `also_` has the same network after the epochs that other values of `held_out` choose: each is what
        a training of its own would come to.
        """
        reader = _reader(self.settings)
        from r5.baselines.training import seeded, train

        start = time.perf_counter()
        examples, valid = self._to_learn_from(examples, valid)
        examples, apart, held = self._apart(examples, valid, (self.settings.held_out, *also))
        vocabulary, codes, bags = reader.learn(examples)
        answers = codes.of_answers(examples.vocabulary, vocabulary)[examples.answers]
        pairs = bags.pairs(answers)
        if not pairs.rows.size:
            raise R5Error(
                f"none of the {len(examples)} training examples has an answer and something to read: "
                "there is nothing to learn from"
            )
        validations = [self._validation(reader, codes, vocabulary, some) for some in held]
        with seeded(self.settings.seed):
            network = reader.network(codes)
            choices = train(network, pairs, validations, self.settings, _teller(progress, self.settings), budget)
        frequencies = np.bincount(answers, minlength=len(codes.answers)).astype(np.float64)
        self.also_ = {kind: type(self)(**{**self.given, "held_out": kind}) for kind in also}
        models: list[NeuralReasoner] = [self, *self.also_.values()]
        for model, choice in zip(models, choices, strict=True):
            own = copy.deepcopy(network)
            own.load_state_dict(choice.weights)
            model._keep(vocabulary, codes, own, frequencies)
            model.summary_ = {
                "seconds": time.perf_counter() - start,
                "seed": self.settings.seed,
                "examples": len(examples),
                "pairs": int(pairs.rows.size),
                **_summary(model.settings, own, choice, apart, budget),
            }
        return self

    def _apart(
        self, examples: Examples, valid: Examples | None, kinds: Sequence[str]
    ) -> tuple[Examples, bool, list[Examples | None]]:
        """What to learn from, whether a part was held out, and what each of these ways to choose an epoch looks at."""
        if "none" in kinds or valid is not None or len(examples) < PARTS * _FEWEST_TO_CHOOSE_WITH:
            return examples, False, [valid for _ in kinds]
        examples, held = hold_out(examples, self.settings.seed)
        return examples, True, [longer(held, self.settings.seed) if kind == "long" else held for kind in kinds]

    def _validation(
        self, reader: Reader, codes: Codes, vocabulary: Vocabulary, valid: Examples | None
    ) -> ValidationBags | None:
        """Validation data, if there is enough to choose an epoch by."""
        from r5.baselines.training import ValidationBags

        valid = None if valid is None else valid.select(np.flatnonzero(valid.answers >= 0))
        if valid is None or len(valid) < _FEWEST_TO_CHOOSE_WITH:
            return None
        answers = codes.of_answers(valid.vocabulary, vocabulary)[valid.answers]
        return ValidationBags(reader.read(valid, codes, vocabulary), answers)

    def _keep(self, vocabulary: Vocabulary, codes: Codes, network: nn.Module, frequencies: NDArray[np.float64]) -> None:
        self.vocabulary_ = vocabulary
        self.rules_ = RuleSet()
        self.codes_ = codes
        self.network_ = network
        self.frequencies_ = frequencies

    def _answers(self, examples: Examples) -> NDArray[np.float64]:
        """How likely each answer is, [examples, answers]; zeros where there is nothing to read."""
        from r5.baselines.training import answer, seeded

        bags = _reader(self.settings).read(examples, self.codes_, self.vocabulary_)
        with seeded(self.settings.seed):
            return answer(self.network_, bags)

    def predict_many(self, examples: Examples) -> list[Prediction]:
        """The most likely answers, and up to three alternatives; a network gives no derivation.

        A sequence encoder cannot say anything where no path leads from one entity to the other.
        """
        examples = self._to_answer(examples)
        answers = self._answers(examples)
        names = self.vocabulary_.names(self.codes_.answers)
        return [ranked(row, names) or self._cannot_say(examples[number]) for number, row in enumerate(answers)]

    def _cannot_say(self, example: Example) -> Prediction:
        settings = self.settings
        if not isinstance(settings, SequenceSettings):
            return Prediction(None, reason="there is nothing to read")
        found = select_paths(Examples.of([example]), settings.policy, settings, nodes=False)
        return Prediction(None, reason=why_no_path(example, settings.direct, bool(found.complete[0])))

    def predict_proba(self, examples: Examples) -> NDArray[np.float64]:
        """How likely each known relation is, [examples, known relations of `vocabulary_`].

        Where there is nothing to read, how common each answer was in training.
        """
        examples = self._to_answer(examples)
        answers = self._answers(examples)
        answers[~answers.any(axis=1)] = self.frequencies_ / self.frequencies_.sum()
        probabilities = np.zeros((len(examples), len(self.vocabulary_.known)))
        probabilities[:, list(self.codes_.answers)] = answers
        return probabilities

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write the model to a folder that `r5.load_model` reads; it predicts just the same."""
        self._fitted()
        arrays = {
            "relations": np.array(self.codes_.relations, dtype=np.int32),
            "answers": np.array(self.codes_.answers, dtype=np.int32),
            "frequencies": self.frequencies_,
            **{f"network.{name}": value.detach().numpy() for name, value in self.network_.state_dict().items()},
        }
        self._write(path, arrays, force)

    @classmethod
    def from_stored(cls, stored: StoredModel) -> Self:
        """The reasoner that was saved, or a `ModelError` where its parts do not fit together."""
        model = cls._with_settings(stored)
        if model.engine != stored.engine:
            raise ModelError(f"the model's settings are of the baseline {model.engine}, not of {stored.engine}")
        codes = stored_codes(stored)
        frequencies = stored.array("frequencies", (len(codes.answers),), least=1.0)
        model._keep(stored.vocabulary, codes, _stored_network(stored, model.settings, codes), frequencies)
        return model


def _summary(
    settings: TrainingSettings, network: nn.Module, choice: Choice, apart: bool, budget: Budget | None
) -> dict[str, Any]:
    """How training went and how the epoch was chosen."""
    found: dict[str, Any] = {
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        "best_epoch": min(choice.epochs, key=lambda epoch: epoch.badness).epoch,
        "chosen_by": "training loss" if choice.validation is None else "validation accuracy",
        "history": [asdict(epoch) for epoch in choice.epochs],
    }
    if apart and choice.validation is not None:
        found["chosen"] = _HELD[settings.held_out]
    if budget is not None and budget.is_exhausted:
        found["cut_short"] = f"epoch {len(choice.epochs)} of {settings.epochs}"
    return found


def ranked(probabilities: NDArray[np.float64], names: tuple[str, ...]) -> Prediction | None:
    """The most likely name with up to three alternatives, the first of equals first; None where all are 0.

    >>> print(ranked(np.array([0.25, 0.75]), ("aunt", "uncle")))
    uncle (0.750)
    """
    order = top_indices(probabilities, 1 + _ALTERNATIVES)
    if not probabilities[order[0]] > 0:
        return None
    likely = [n for n in order[1:] if at_least(probabilities[n], _LEAST_PROBABILITY)]
    others = tuple(Prediction(names[n], float(probabilities[n])) for n in likely)
    return Prediction(names[order[0]], float(probabilities[order[0]]), alternatives=others)


def _reader(settings: TrainingSettings) -> Reader:
    """The reader of the architecture; what it needs may not be installed."""
    try:
        import torch  # noqa: F401
    except ImportError:
        raise need("torch", "torch") from None
    if isinstance(settings, GraphSettings):
        try:
            import torch_geometric  # noqa: F401
        except ImportError:
            raise need("torch_geometric", "gnn") from None
    from r5.baselines.reading import reader_of

    return reader_of(settings)


def _teller(progress: ProgressCallback | None, settings: TrainingSettings) -> Callable[[Epoch], None]:
    """Tells how each epoch went."""
    count = ProgressCounter(progress, settings.epochs)

    def tell(epoch: Epoch) -> None:
        judged = "" if epoch.valid_accuracy is None else f", validation accuracy {epoch.valid_accuracy:.3f}"
        count(f"epoch {epoch.epoch}/{settings.epochs}, loss {epoch.loss:.3f}{judged}")

    return tell


def stored_codes(stored: StoredModel) -> Codes:
    """What the network of a model folder reads and answers."""
    codes = Codes(_ids(stored, "relations"), _ids(stored, "answers"))
    if not codes.answers:
        raise ModelError("the model has no answers")
    return codes


def _ids(stored: StoredModel, name: str) -> tuple[int, ...]:
    """Known relations, each once, in ascending order."""
    ids = tuple(stored.array(name, (None,), "i", least=0, most=len(stored.vocabulary.known) - 1).tolist())
    if list(ids) != sorted(set(ids)):
        raise ModelError(f"the model's {name} are not in order")
    return ids


def _stored_network(stored: StoredModel, settings: TrainingSettings, codes: Codes) -> nn.Module:
    """The network with the stored weights, each of which must have the shape that the settings ask for."""
    reader = _reader(settings)
    import torch

    # Without memory at first: the settings of a folder may ask for any amount, its arrays are there.
    with torch.device("meta"):
        network = reader.network(codes)
    wanted: Mapping[str, torch.Tensor] = network.state_dict()
    weights = {
        name: torch.from_numpy(stored.array(f"network.{name}", tuple(value.shape)).astype(np.float32))
        for name, value in wanted.items()
    }
    network.load_state_dict(weights, assign=True)
    return network.eval()
