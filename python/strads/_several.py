"""Several responses, several l1 ratios of a path, and a split: what is given, and an estimator for each result."""

import copy

import numpy as np
from sklearn.utils.validation import _check_y

from ._cv import is_better_large
from ._errors import InputError

_PARTS = {"train": 1, "val": 2, "test": 3}
_NO_PART = ("", "NA", "<NA>", "nan", "None", "NaT")
# Of several responses an array with a row for each.
_STACKED = ("coef_", "intercept_", "dual_gap_", "relative_gap_", "beta_hash_", "alpha_", "alpha_1se_", "l1_ratio_")


def responses_of(y, estimator, on_disk):
    """[(name, numbers)] of a y of several columns, else None. Beside X on disk NaN is a sample that takes no part."""
    if y is None or np.ndim(y) != 2 or np.shape(y)[1] < 2:
        return None
    names = [str(name) for name in getattr(y, "columns", range(np.shape(y)[1]))]
    names = names if hasattr(y, "columns") else [f"y{name}" for name in names]
    values = y if on_disk else _check_y(y, multi_output=True, y_numeric=True, estimator=estimator)
    values = np.asarray(values, dtype=np.float64)
    return list(zip(names, values.T))


def parts_of(split):
    """Labels 'train', 'val', 'test' or none of a sample, as numbers for the compiled half; None: there is no split."""
    if split is None:
        return None
    labels = np.asarray(split, dtype=object)
    if labels.ndim != 1:
        raise InputError(f"split: found an array of {labels.ndim} dimensions, expected a label for each sample")
    parts = np.zeros(len(labels), dtype=np.uint8)
    for row, label in enumerate(map(str, labels)):
        if label not in _PARTS and label not in _NO_PART:
            raise InputError(f"split: row {row} is {label!r}, expected 'train', 'val', 'test', or None where a sample takes "
                             "no part")
        parts[row] = _PARTS.get(label, 0)
    return parts


def all_of(result):
    """What one call has found: by response, then by l1 ratio."""
    return [{key: value for key, value in result.items() if key != "others"},
            *({"error": None, **other} for other in result["others"])]


def of_response(estimator, result):
    """A copy for one of several results."""
    one = copy.copy(estimator)
    one.response_ = result["response"]
    return one


def keep_each(estimator, each):
    """`each`: fitted estimators of the responses. The first attributes of the whole are those of all, stacked."""
    estimator.estimators_ = each
    estimator.converged_ = bool(all(one.converged_ for one in each))
    for name in _STACKED:
        if all(hasattr(one, name) for one in each):
            setattr(estimator, name, np.array([getattr(one, name) for one in each]))
    return estimator


def best_places(each):
    """Of paths that val has looked at: for each response the place of the best; of equal ones the first."""
    best = {}
    for place, one in enumerate(each):
        error = one.val_scores_[one.chosen_] * (-1 if is_better_large(one.measure_) else 1)
        if one.response_ not in best or error < best[one.response_][0]:
            best[one.response_] = error, place
    return np.array([place for _, place in best.values()])
