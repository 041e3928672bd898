#!/usr/bin/env python3
"""Which films to recommend: factors of users and films, errors on ratings held out, the best films for a user.

Usage: recommendations.py [PICTURE.png]
100,836 ratings of films by 610 users (tests/datasets/movielens; no commercial use).
"""
import pathlib
import sys
import warnings

import numpy as np
import pandas as pd
import strads

FILE = pathlib.Path(__file__).parents[2] / "tests/datasets/movielens/ratings.csv.gz"

table = pd.read_csv(FILE)
users, user_ids = pd.factorize(table.userId)
films, film_ids = pd.factorize(table.movieId)
ratings = table.rating.to_numpy()
print(f"{len(ratings)} ratings of {len(film_ids)} films by {len(user_ids)} users")

# A tenth is held out. Of the others the fit sets some aside by itself, which tell it when to stop.
held_out = np.random.default_rng(0).random(len(ratings)) < 0.1
train = (users[~held_out], films[~held_out], ratings[~held_out])
test = (users[held_out], films[held_out], ratings[held_out])

model = strads.MatrixFactorization(20, alpha=0.1).fit(train)
# Some films have no rating but those held out: the mean and the user's bias are predicted, and a warning counts them.
warnings.filterwarnings("ignore", "MatrixFactorization: of .* pairs", UserWarning)
error = model.predict(test[:2]) - test[2]
error_of_mean = model.mean_ - test[2]


def rmse(errors):
    return np.sqrt(np.mean(errors**2))


print(f"stopped after {model.n_iter_} sweeps: {model.stop_reason_}")
print(f"RMSE: train {model.rmse_train_:.4f}, test {rmse(error):.4f}; the mean rating alone {rmse(error_of_mean):.4f}")

# What a user has rated is not recommended again.
user = 0
rated = films[users == user]
best, scores = model.recommend(user, n=5, exclude=rated)
print(f"for user {user_ids[user]}, who has rated {len(rated)} films:")
for film, score in zip(best, scores):
    print(f"  film {film_ids[film]:6d}  predicted {score:.2f}, rated by {model.item_counts_[film]} users of the fit")

if len(sys.argv) > 1:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    fig, (left, right) = plt.subplots(1, 2, figsize=(8.8, 4), layout="constrained")
    given = np.unique(test[2])
    left.boxplot([model.predict(test[:2])[test[2] == stars] for stars in given], labels=given, showfliers=False,
                 medianprops={"color": "#D55E00", "linewidth": 1.6})
    left.set_xlabel("rating given (stars)")
    left.set_ylabel("rating predicted (stars)")
    left.set_title("Ratings held out")

    known = model.item_counts_[test[1]]
    edges = np.array([0, 1, 2, 5, 10, 20, 50, 100, known.max() + 1])
    part = np.digitize(known, edges) - 1
    labels = [f"{a}" if b == a + 1 else f"{a}-{b - 1}" for a, b in zip(edges, edges[1:])]
    labels[-1] = f"{edges[-2]}+"
    for errors, label, line, colour in ((error_of_mean, "mean of all ratings", "s--", "#0072B2"),
                                        (error, "factors", "o-", "#D55E00")):
        right.plot(labels, [rmse(errors[part == k]) for k in range(len(labels))], line, color=colour, label=label)
    right.set_xlabel("ratings of the film in the fit (count)")
    right.set_ylabel("RMSE of ratings held out (stars)")
    right.set_title("What is known of a film counts")
    right.legend()
    fig.savefig(sys.argv[1], dpi=130)
