"""States of an episode (Section 2.1): the relation pairs on the paths, their features, and merging a pair."""
