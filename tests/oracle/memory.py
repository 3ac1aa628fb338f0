"""The rule memory with two dictionaries, as the paper writes it: the slow twin of `r5.agent.memory.rule_memory`."""

from __future__ import annotations

from dataclasses import dataclass, field

from r5._util.ordering import argmax
from r5.agent.settings import R5Settings

Body = tuple[int, int]


@dataclass
class SlowMemory:
    """D_rl and D_rls; relations below `known` are known, the `invented` ones follow, any others are fresh."""

    known: int
    invented: int
    settings: R5Settings
    heads: dict[Body, int] = field(default_factory=dict)
    scores: dict[Body, float] = field(default_factory=dict)
    support: dict[Body, int] = field(default_factory=dict)

    def items(self) -> list[tuple[Body, int, float, int]]:
        return [(body, head, self.scores[body], self.support[body]) for body, head in self.heads.items()]

    def add(self, body: Body, head: int, score: float = 0.0, support: int = 0) -> None:
        self.heads[body], self.scores[body], self.support[body] = head, score, support

    def drop(self, body: Body) -> tuple[int, float, int]:
        return self.heads.pop(body), self.scores.pop(body), self.support.pop(body)

    def buffer(self) -> list[int]:
        """B_unkn: the invented relations that no rule contains."""
        there = {relation for body, head in self.heads.items() for relation in (*body, head)}
        return [r for r in range(self.known, self.known + self.invented) if r not in there]

    def forget(self, omitted: list[Body]) -> None:
        """Remove rules, all that contain their invented heads, and all about relations that nothing defines."""
        bad = {self.drop(body)[0] for body in omitted}
        while True:
            defined = set(self.heads.values())
            bad |= {r for body in self.heads for r in body if r not in defined}
            bad = {r for r in bad if r >= self.known}
            hanging = [body for body, head in self.heads.items() if bad & {*body, head}]
            if not hanging:
                return
            bad |= {self.drop(body)[0] for body in hanging}

    def evict(self, used: set[int]) -> bool:
        rules = [body for body, head in self.heads.items() if head >= self.known and head not in used]
        if not rules:
            return False
        self.forget([rules[argmax([-self.scores[body] for body in rules])]])
        return True

    def sample(self, draw: float, used: set[int]) -> int | None:
        while not (unused := [r for r in self.buffer() if r not in used]):
            if not self.evict(used):
                return None
        return unused[int(draw * len(unused))]

    def gain(self, body: Body, head: int, new: bool) -> float:
        s = self.settings
        known_body = max(body) < self.known
        if new:
            return s.new_known_body if known_body else s.new_invented_body
        if head >= self.known:
            return s.invented_head
        return s.known_rule if known_body else s.known_head

    def rewrite(self, r: int, y: int) -> None:
        """Algorithm 1, line by line; the score moves with its rule."""
        for body in self.heads:
            if self.heads[body] == r:
                self.heads[body] = y
        for body in list(self.heads):
            if body == (r, r):
                key = (y, y)
            elif body[0] == r:
                key = (y, body[1])
            elif body[1] == r:
                key = (body[0], y)
            else:
                continue
            rule = self.drop(body)
            if key not in self.heads or self.heads[key] >= self.known:
                self.add(key, *rule)
        self.forget([])

    def commit(self, path: list[int], positions: list[int], answer: int, draws: list[float]) -> int:
        s = self.settings
        path, simple = list(path), len(path) == 2
        fresh = self.known + self.invented
        used: set[int] = set()
        taken: list[tuple[Body, float]] = []
        result = -1
        for step, place in enumerate(positions):
            body = (path[place], path[place + 1])
            new = body not in self.heads
            last = step == len(positions) - 1
            if new:
                head = fresh if last else self.sample(draws[step], used)
                if head is None:
                    break
                self.add(body, head)
            head = self.heads[body]
            used.add(head)
            taken.append((body, self.gain(body, head, new)))
            path[place : place + 2] = [head]
            if last:
                result = head
        self.reward(taken, result, answer, simple)
        if result >= self.known:
            self.rewrite(result, answer)
        for body, score in self.scores.items():
            self.scores[body] = score * (1.0 + s.decay) if score < 0 else score * (1.0 - s.decay)
        self.forget([body for body, score in self.scores.items() if score < s.threshold])
        return -2 if result == fresh else result

    def reward(self, taken: list[tuple[Body, float]], result: int, answer: int, simple: bool) -> None:
        s = self.settings
        wrong = 0 <= result < self.known and result != answer
        for body, gain in taken:
            if body not in self.heads:
                continue
            if result == answer:
                self.support[body] += 1
                self.scores[body] += gain + s.end_right
            else:
                self.scores[body] += s.end_wrong if wrong else gain
            if simple:
                self.scores[body] += s.simple_wrong if wrong else s.simple_true
