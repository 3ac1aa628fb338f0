"""All hyperparameters of the paper's agent in one place, with the paper's symbol beside each.

The defaults are the paper's: Sections 2.1 to 2.3 and Appendix A, and where these are silent one choice, which
`docs/from-paper-to-code.md` argues for. Settings under "Beyond the paper" are off. Presets: `r5.agent.presets`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from r5._util.settings import SettingsError, setting
from r5.paths.settings import AnswerPolicy, PathSettings

__all__ = ["R5Settings"]


@dataclass(frozen=True)
class R5Settings(PathSettings):
    """As the paper says, unless changed.

    >>> R5Settings().simulations, R5Settings().hidden_answers
    (200, 0.0)
    """

    # Training (Section 2.1, Appendix A.2 and A.3)
    epochs: int = setting(10, least=1, most=1_000_000)
    """The most passes over the examples."""
    episodes_per_update: int = setting(16, least=1, most=100_000)
    """Episodes played in lock-step with one state of the memory, after which memory and network are updated."""
    learning_rate: float = setting(0.01, least=0)
    """The step size of the optimiser (Adam)."""
    batch_size: int = setting(64, least=1, most=1_000_000)
    """States in one step of the optimiser; fewer where an epoch has fewer."""
    steps_per_update: int = setting(3, least=0, most=100_000)
    """Steps of the optimiser after each round of episodes."""
    replay_size: int = setting(5000, least=1, most=100_000_000)
    """States kept to learn from."""
    l2: float = setting(1e-4, least=0)
    """a, the weight of the squared parameters in the loss."""
    kl_target: float = setting(0.02, above=0)
    """The change of the policy by one update that the step size is steered towards."""
    # Paths (Section 2.1); training_paths and path_limit, which is L, are those of all engines
    answer_paths: AnswerPolicy = "shortest"
    """Which paths a question is answered over; auto: the most that answer the training questions no worse."""
    longest_path: int = setting(12, least=2, most=10_000)
    """The most relations on a simple path or a trail; the shortest paths of a question are looked at in any case."""
    direct: Literal["skip", "dummy"] = "skip"
    """What becomes of a path of one relation: skip it, or `dummy`: the relation r_dm of Appendix A.5 follows it."""
    combine: Literal["vote", "together"] = "together"
    """How several paths answer: `together`, merging the same pair in all (Section 2.1), or each by itself: `vote`."""
    # Rule memory (Section 2.2)
    invented: int = setting(50, least=1, most=10_000)
    """n, the number of invented relations."""
    known_rule: float = setting(0.6, above=0)
    """v_0: the body is in the memory, all three relations are known."""
    known_head: float = setting(0.3, above=0)
    """v_1: the body is in the memory, the head is known, a relation of the body is invented."""
    invented_head: float = setting(-0.05, below=0)
    """v_2: the body is in the memory, the head is invented."""
    new_known_body: float = setting(-0.1, below=0)
    """v_3: the body is new and its relations are known."""
    new_invented_body: float = setting(-0.3, below=0)
    """v_4: the body is new and a relation of it is invented."""
    end_right: float = setting(0.1, above=0)
    """v_T,pos: the episode ended in the answer."""
    end_wrong: float = setting(-1.0, below=0)
    """v_T,neg: the episode ended in another known relation."""
    simple_true: float = setting(1.0, least=0)
    """v_true: extra for a rule that a path of two relations agrees with, or that it has just made."""
    simple_wrong: float = setting(0.5, least=0)
    """v_wrong: allowance for a rule that a path of two relations disagrees with."""
    decay: float = setting(0.003, least=0, most=1)
    """epsilon: the share of its score that a rule loses in an episode."""
    threshold: float = setting(-1.2, below=0)
    """sigma: a rule with a lower score is removed."""
    # Search (Section 2.1)
    simulations: int = setting(200, least=1, most=100_000)
    """Simulations a move in training."""
    answer_simulations: int = setting(200, least=1, most=100_000)
    """Simulations a move when a query is answered."""
    exploration: float = setting(10.0, least=0, most=1e12)
    """c of PUCT."""
    temperature: float = setting(1.0, least=0)
    """The power of visit counts with which moves are drawn in training; 0: the most visited one."""
    noise: float = setting(0.1, least=0, most=1)
    """The share of noise in the priors at the root, in training."""
    noise_shape: float = setting(0.3, above=0)
    """The Dirichlet parameter of that noise."""
    # Network and features
    network: bool = True
    """Whether the policy-value network guides the search; without it priors are uniform (Table 6)."""
    extra_features: bool = False
    """Whether a pair's most and fewest occurrences among the paths are features too (Appendix G)."""
    embedding: int = setting(8, least=1, most=1_000)
    """Numbers that describe a relation type."""
    hidden: int = setting(32, least=1, most=10_000)
    """Units of a hidden layer."""
    # Beyond the paper: each can be turned on alone
    solved_nodes: bool = False
    """Beyond the paper: what is certain in a search tree is not searched again, and a solved root plays its best."""
    free_visits: int = setting(0, least=0, most=1_000_000)
    """Beyond the paper: simulations in a row that end in something solved and are not taken off the budget."""
    hidden_answers: float = setting(0.0, least=0, most=1)
    """Beyond the paper: the share of episodes after the first epoch in which search does not see the answer."""
    ending_value: Literal["known", "shares"] = "known"
    """What an end is worth where the answer is not seen: `known` relation 1, invented 0; or the rules' `shares`."""
    keep_epoch: Literal["last", "fit", "answers"] = "last"
    """Which epoch is kept: the `last`; beyond the paper that of the best `fit`, or of most right training `answers`."""
    patience: int = setting(0, least=0, most=1_000_000)
    """Beyond the paper: epochs without a better one, by fit or answers, after which training stops; 0: never."""
    restarts: int = setting(1, least=1, most=1_000_000)
    """Beyond the paper: times training is run with other random numbers; the best one, by fit or answers, is kept."""
    distinct: bool = False
    """Beyond the paper: examples with the same paths and answer are learned from once in an epoch."""
    equate: float = setting(0.0, least=0)
    """Beyond the paper: the evidence, in scores, on which an invented relation is taken to be another; 0: never."""
    associate: bool = False
    """Beyond the paper: what follows from merging in another order counts as evidence and gives rules; needs equate."""

    def check(self) -> None:
        """Memory is bounded, scores keep the order that the paper asks for, and additions stand on what they need."""
        simulations = max(self.simulations, self.answer_simulations)
        if simulations * self.path_limit * self.longest_path > _MOST_SEARCHED:
            raise SettingsError(f"simulations x path_limit x longest_path must be at most {_MOST_SEARCHED:,}")
        order = (self.known_rule, self.known_head, 0.0, self.invented_head, self.new_known_body, self.new_invented_body)
        if any(high <= low for high, low in pairwise(order)):
            raise SettingsError("the rule scores must satisfy v0 > v1 > 0 > v2 > v3 > v4 (the paper's Equation 2)")
        if self.free_visits and not self.solved_nodes:
            raise SettingsError("free_visits needs solved_nodes")


_MOST_SEARCHED = 100_000_000
"""Memory grows with these: a model from elsewhere must not take all there is."""
