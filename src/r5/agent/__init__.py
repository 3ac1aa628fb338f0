"""The paper's agent: a policy over pairs of relations, found by tree search, and a dynamic memory of rules.

Stages: `state` (pairs and their features), `search` (MCTS), `network` (policy and value), `memory` (rules, Equations 1
to 4, Algorithm 1), `training` (epochs, restarts, checkpoints), `inference` (answers); `beyond` holds most additions to
the paper.
"""
