"""Select settings with scikit-learn.

Reasoners are estimators: cross-validation, grid search and clone take them as they are.
"""

from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import r5

data = r5.load("kinship", train=120, test=20)
model = r5.GrammarReasoner(seed=0, restarts=(0.5,), annealing_steps=8, sparse_steps=4)
scores = cross_val_score(model, data.train, cv=3)
print("accuracy of three folds:", [f"{score:.2f}" for score in scores])

search = GridSearchCV(model, {"final_smoothing": [0.03, 3.0]}, cv=2).fit(data.train)
print("selected:", search.best_params_)
again = clone(search.best_estimator_).fit(data.train)
print(f"accuracy on longer chains: {again.score(data.test):.2f}")
