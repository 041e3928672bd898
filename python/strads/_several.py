"""Several responses and several l1 ratios: what is given, and an estimator for each result."""

import copy

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import _check_y

from ._cv import is_better_large
from ._errors import InputError, UsageError

# Of several responses an array with a row for each.
_STACKED = ("coef_", "intercept_", "dual_gap_", "relative_gap_", "beta_hash_", "alpha_", "alpha_1se_", "l1_ratio_", "C_", "C_min_",
            "C_1se_")


def columns_of_responses(y):
    """[(name, column)] of a y of several columns, else None."""
    shape = () if y is None else y.shape if hasattr(y, "shape") else np.asarray(y, dtype=object).shape
    if len(shape) != 2 or shape[1] < 2:
        return None
    if not hasattr(y, "columns"):
        return [(f"y{k}", column) for k, column in enumerate(np.asarray(y).T)]
    names = [str(name) for name in y.columns]
    twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
    if twice is not None:
        raise UsageError(f"several responses: the name {twice!r} is there twice, expected one for each")
    return [(name, y.iloc[:, k] if hasattr(y, "iloc") else y[y.columns[k]]) for k, name in enumerate(names)]


def columns_of_each(y, count):
    """The columns of what predictions of `count` responses are compared with."""
    columns = columns_of_responses(y) or []
    if len(columns) != count:
        raise InputError(f"y: found {len(columns) or 1} columns, expected one for each of the {count} responses "
                         "of the fit")
    return [column for _, column in columns]


def responses_of(y, estimator, on_disk):
    """[(name, numbers)] of a y of several columns, else None. Beside X on disk NaN is a sample that takes no part."""
    columns = columns_of_responses(y)
    if columns is None:
        return None
    values = y if on_disk else _check_y(y, multi_output=True, y_numeric=True, estimator=estimator)
    values = np.asarray(values, dtype=np.float64)
    return list(zip((name for name, _ in columns), values.T))


def all_of(result):
    """What one call has found: by response, then by l1 ratio."""
    return [{key: value for key, value in result.items() if key != "others"},
            *({"error": None, **other} for other in result["others"])]


def until_error(results):
    """A list of them, which ends with the first that something ended early."""
    found = []
    for result in results:
        found.append(result)
        if result["error"] is not None:
            break
    return found


def error_of(results):
    """What ended one of them early, or None."""
    return next((result["error"] for result in results if result["error"] is not None), None)


def of_response(estimator, result):
    """A copy for one of several results."""
    one = copy.copy(estimator)
    one.response_ = result["response"]
    return one


def fit_each(estimator, names, fit):
    """fit(one, k) of a copy for each response. What ended one of them early leaves what was found until then."""
    each = []
    for k, name in enumerate(names):
        one = of_response(estimator, {"response": name})
        try:
            fit(one, k)
        except BaseException as error:
            if any(hasattr(one, name) for name in ("coef_", "coef_path_", "estimators_")):
                one.response_ = name
                keep_each(estimator, [*each, one])
            elif type(error) in (ValueError, UsageError, InputError):
                raise type(error)(f"response {name!r}: {error}") from None
            raise
        one.response_ = name  # a fit of its own leaves nothing of what was there before
        each.append(one)
    return keep_each(estimator, each)


def keep_each(estimator, each):
    """`each`: fitted estimators of the responses. The first attributes of the whole are those of all, stacked."""
    estimator.estimators_ = each
    estimator.converged_ = bool(all(one.converged_ for one in each))
    estimator.stop_reason_ = next((one.stop_reason_ for one in each if not one.converged_), each[0].stop_reason_)
    estimator.notes_ = list(dict.fromkeys(note for one in each for note in getattr(one, "notes_", [])))
    estimator.n_features_in_ = each[0].n_features_in_
    for name in _STACKED:
        values = [getattr(one, name, None) for one in each]
        if all(value is not None for value in values):
            has_rows = is_classifier(estimator) and np.ndim(values[0]) > 0  # of two classes each has one
            setattr(estimator, name, np.concatenate(values) if has_rows else np.array(values))
    return estimator


def refuse_of_several(estimator, what):
    """AttributeError where only one of several fits can be meant."""
    if hasattr(estimator, "estimators_"):
        raise AttributeError(f"{what}: this {type(estimator).__name__} has {len(estimator.estimators_)} fits; ask one of "
                             "estimators_ for it")


def best_places(each):
    """Of paths that val has looked at: for each response the place of the best; of equal ones the first."""
    best = {}
    for place, one in enumerate(each):
        error = one.val_scores_[one.chosen_] * (-1 if is_better_large(one.measure_) else 1)
        if one.response_ not in best or error < best[one.response_][0]:
            best[one.response_] = error, place
    return np.array([place for _, place in best.values()])
