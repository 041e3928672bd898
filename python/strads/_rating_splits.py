"""Splits of ratings by functions of scikit-learn, which choose rows: of a table these are ratings, of a matrix other users."""

import sys

import numpy as np
from sklearn.utils import _safe_indexing

from ._errors import InputError, UsageError
from ._ratings import read_pairs

_HOW = ("Give a table of ratings, whose rows are split: n x 3 (user, item, rating), or pairs with y. cv=KFold(5, shuffle=True) "
        "deals them out; options={'holdout': 0.1} and `mf cv` do without")


def split_of():
    """The call of scikit-learn that fits to some of the rows and measures on others, or None."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__") == "sklearn.model_selection._validation" and "estimator" in frame.f_locals and (
                {"train", "test"} <= set(frame.f_locals)):
            return frame
        frame = frame.f_back
    return None


def expect_rows_of_ratings(frame, by_rows):
    """UsageError where scikit-learn has chosen rows of something whose rows are no ratings."""
    if frame is not None and not by_rows:
        raise UsageError("scikit-learn splits by rows: of a matrix these are users, and those held out would be taken for "
                         f"others; of a tuple they are its arrays. {_HOW}")


def expect_seen(frame, ratings):
    """UsageError where whole users or items are held out, as consecutive rows of a table that is sorted by them are: nothing
    is known of these, and parameters would be chosen by noise. Groups say that this is meant."""
    if _has_groups(frame):
        return
    try:
        held_out = _safe_indexing(frame.f_locals["X"], frame.f_locals["test"])
        users, items = read_pairs(held_out)
    except (InputError, KeyError, TypeError, ValueError):
        return  # a step before has made X of something else
    for what, here, seen in (("user", users, ratings.users), ("item", items, ratings.items)):
        unknown = here[~_among(here, seen)]
        # Where each has one rating, no split could do better.
        if 2 * len(unknown) > len(here) and len(unknown) >= 2 * len(set(unknown.tolist())):
            raise UsageError(f"of {len(here)} ratings held out {len(unknown)} have {'an' if what == 'item' else 'a'} {what} without a "
                             f"rating to learn from: consecutive rows of a sorted table hold out whole {what}s. Shuffle: "
                             "cv=KFold(5, shuffle=True); splits by groups, where this is meant, are taken")


def _among(ids, seen):
    if ids.dtype != object and seen.dtype != object:
        return np.isin(ids, seen)
    known = set(map(str, seen.tolist()))
    return np.array([str(one) in known for one in ids.tolist()], dtype=bool)


def _has_groups(frame):
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith("sklearn.") and frame.f_locals.get("groups") is not None:
            return True
        frame = frame.f_back
    return False
