"""What lists of items are worth, and which users and items are alike: shared by what ranks items."""

from numbers import Integral

import numpy as np
import pandas as pd

from . import _strads
from ._errors import InputError, UsageError
from ._texts import translated


def count_from(value, name, least=1):
    """A whole number of at least `least`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral) or value < least:
        raise UsageError(f"{name} must be a whole number from {least}. Got {value!r} instead.")
    return int(value)


def _lengths(K):
    ks = sorted({count_from(one, "evaluate: K", 1) for one in (K if np.ndim(K) else [K])})
    if not ks:
        raise UsageError("evaluate: K has no number, expected at least one")
    return ks


def evaluated(model, facts, train, test, relevant, K, threads):
    """The table of `mf evaluate`, by its own code."""
    try:
        said = _strads.evaluate_lists(facts, train, test, relevant, _lengths(K), threads or 0)
    except (ValueError, RuntimeError) as error:
        raise translated(error, model, True) from None
    rows = pd.DataFrame(said["rows"], columns=["k", "ranked_by", "metric", "mean", "standard_error"])
    names = list(dict.fromkeys(rows["metric"]))
    table = rows.pivot(index=["k", "ranked_by"], columns="metric", values="mean")[names]
    errors = rows.pivot(index=["k", "ranked_by"], columns="metric", values="standard_error")[names]
    for one in (table, errors):
        one.columns.name = None
    table.attrs = {"users": said["users"], "pairs": said["pairs"], "standard_error": errors.to_dict()}
    return table


def alike(factors, row, N, known):
    """(rows, cosines) of the N rows most like this one, without it."""
    lengths = np.sqrt(np.einsum("ij,ij->i", factors, factors, dtype=np.float64))
    unit = factors / np.where(lengths > 0, lengths, 1)[:, None].astype(np.float32)
    scores = np.where(known, unit @ unit[row], -np.inf)
    scores[row] = -np.inf
    best = np.argsort(-scores, kind="stable")[:N]
    best = best[np.isfinite(scores[best])]
    return best, scores[best]


def row_of(side, one, what):
    """The row of one id that the model knows."""
    from ._ids import ids_of

    if np.ndim(one) > 0 and np.size(one) != 1:
        raise InputError(f"{what}: found {np.size(one)} ids, expected one; call it for each")
    row = int(side.rows_of(ids_of(np.ravel(np.asarray(one, dtype=object)), what, negative=True))[0])
    if row < 0:
        raise InputError(f"{what}: {one!r} is unknown to the model")
    return row
