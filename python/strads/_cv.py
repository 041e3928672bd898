"""Cross-validation by the splits that a splitter of scikit-learn makes, and by its scorers.

Where every sample is held out once and one of our measures is asked for, `lasso cv` does it. All else is done here, by
paths of samples whose weights are 0 where they do not take part: nothing of X is copied but the rows that are scored.
"""

import copy
import inspect

import numpy as np
import scipy.sparse
from scipy.special import expit
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring, get_scorer_names, roc_auc_score
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing

from ._covariates import WithCovariates
from ._errors import InputError, UsageError
from ._params import CLASS_MEASURES

_PROBABILITY_MIN = 1e-5  # in deviances, as cv.glmnet has it


class Splits:
    """[(rows to fit, rows held out)], each as how often a row is there."""

    def __init__(self, cv, y, groups, classifier):
        splitter = check_cv(cv, y, classifier=classifier)
        self.rows = len(y)
        try:
            pairs = list(splitter.split(np.zeros((len(y), 1)), y, groups))
        except ValueError as error:
            raise InputError(f"cv: {error}") from None
        self.pairs = [(self._counts(k, "rows to fit", fit), self._counts(k, "rows held out", held_out))
                      for k, (fit, held_out) in enumerate(pairs)]
        if len(self.pairs) < 2:
            raise InputError(f"cv: found {len(self.pairs)} split, expected at least 2")

    def _counts(self, k, what, rows):
        rows = np.asarray(rows)
        if rows.dtype == bool and rows.shape == (self.rows,):
            rows = np.flatnonzero(rows)
        if rows.ndim != 1 or not rows.size or rows.dtype.kind not in "iu":
            raise InputError(f"cv: split {k} has no {what}, expected numbers of rows")
        if rows.min() < -self.rows or rows.max() >= self.rows:
            raise InputError(f"cv: split {k}: {what} from {rows.min()} to {rows.max()}, expected 0 to {self.rows - 1}")
        return np.bincount(rows % self.rows, minlength=self.rows)

    def folds(self):
        """The number of the fold in which each sample is held out, where each is held out once and fitted in all others;
        else None."""
        held_out = np.array([test for _, test in self.pairs])
        fitted = np.array([train for train, _ in self.pairs])
        if np.all(held_out.sum(axis=0) == 1) and np.all(fitted == 1 - held_out):
            return np.argmax(held_out, axis=0)
        return None


def scorer_of(estimator, scoring):
    """None of our own measures, else scikit-learn's scorer, or the callable."""
    if isinstance(scoring, str) and scoring not in get_scorer_names():
        return None
    return check_scoring(estimator, scoring=scoring)


def _error_of_classes(measure, y, link, weights):
    """Weighted mean of one of our measures: as `lasso cv` has it."""
    if measure == "auc":
        return roc_auc_score(y, expit(link), sample_weight=weights) if len(np.unique(y)) == 2 else np.nan
    p = expit(link)
    cut = np.clip(p, _PROBABILITY_MIN, 1 - _PROBABILITY_MIN)
    errors = {"deviance": lambda: -2 * np.log(np.where(y > 0, cut, 1 - cut)),
              "class": lambda: (p > 0.5) != (y > 0),
              "mse": lambda: 2 * (y - p) ** 2,
              "mae": lambda: 2 * np.abs(y - p)}
    return float(np.average(errors[measure](), weights=weights))


def _error_of_numbers(measure, y, predicted, weights):
    off = np.abs(y - predicted)
    return float(np.average(off if measure == "mae" else off**2, weights=weights))


def _error_of_counts(measure, y, link, weights):
    if measure != "deviance":
        return _error_of_numbers(measure, y, np.exp(link), weights)
    off = np.where(y > 0, link - np.log(np.where(y > 0, y, 1.0)), 0.0)
    return float(np.average(2 * np.where(y > 0, y * (np.expm1(off) - off), np.exp(link)), weights=weights))


_ERRORS = {"gaussian": _error_of_numbers, "binomial": _error_of_classes, "poisson": _error_of_counts}


class _HeldOut:
    """The rows of one split that are scored, and our estimator as it was fitted without them."""

    def __init__(self, estimator, inputs, y, counts):
        rows = np.flatnonzero(counts)
        x = inputs.x.tocsr() if scipy.sparse.issparse(inputs.x) else inputs.x
        self.x = _safe_indexing(x, rows)
        self.y = _safe_indexing(y, rows)
        self.coded = inputs.y[rows]
        self.covariates = np.stack([values[rows] for _, values in inputs.covariates], axis=1) if inputs.covariates else None
        self.offset = None if inputs.offset is None else inputs.offset[rows]
        weights = counts[rows].astype(np.float64)
        self.weights = weights if inputs.weights is None else weights * inputs.weights[rows]
        self.are_weighted = inputs.weights is not None or np.any(counts > 1)
        keep = self.weights > 0
        if not keep.all():
            self.x, self.y, self.coded, self.weights = self.x[keep], self.y[keep], self.coded[keep], self.weights[keep]
            self.covariates = None if self.covariates is None else self.covariates[keep]
            self.offset = None if self.offset is None else self.offset[keep]
        self.estimator = self._one_fit(estimator)
        self.estimator.n_features_in_ = inputs.x.shape[1]

    @staticmethod
    def _one_fit(estimator):
        """A scorer sees an estimator of one penalty, whose own score() asks no scorer."""
        cls = estimator._of_one_penalty
        given = estimator.get_params(deep=False)
        one = cls(**{name: given[name] for name in cls().get_params(deep=False) if name in given})
        # X is an array by now, and covariates have lost their names.
        vars(one).update({name: value for name, value in vars(estimator).items() if name not in given and
                          name not in ("feature_names_in_", "_covariates_by_name", "_labels")})
        return one

    def score(self, result, solution, model, scorer, measure):
        self.estimator._keep_solution(result, solution, model)
        if scorer is None:
            link = self.estimator._linear_part(self.x, self.covariates, self.offset)
            score = _ERRORS[self.estimator._family]
            return score(measure, self.coded, np.asarray(link, dtype=np.float64), self.weights)
        x = self.x
        if self.covariates is not None or self.offset is not None:
            x = WithCovariates(x, self.covariates, self.offset)
        if self.are_weighted and hasattr(scorer, "_score_func"):
            if "sample_weight" not in inspect.signature(scorer._score_func).parameters:
                raise UsageError(f"scoring: {scorer} has no sample_weight; leave the weights out, or take another scorer")
            return float(scorer(self.estimator, x, self.y, sample_weight=self.weights))
        return float(scorer(self.estimator, x, self.y))


def _curve(errors, weights, sign):
    """Mean, standard error, index of the best, and of the largest penalty within one standard error of it: cv.glmnet's.
    `errors`: splits x penalties."""
    if np.isnan(errors).all(axis=0).any():
        raise UsageError("scoring: no split has a value; take other splits, or another measure")
    weights = np.where(np.isnan(errors), 0.0, weights[:, np.newaxis])
    total = weights.sum(axis=0)
    errors = np.nan_to_num(errors)
    mean = (weights * errors).sum(axis=0) / total
    spread = (weights * (errors - mean) ** 2).sum(axis=0) / total
    standard_error = np.sqrt(spread / (len(errors) - 1))
    least = int(np.argmin(sign * mean))
    simplest = int(np.argmax(sign * mean <= sign * mean[least] + standard_error[least]))
    return mean, standard_error, least, simplest


def is_better_large(measure):
    """Whether more is better: of an area, and of every scorer of scikit-learn."""
    return measure == "auc" or measure not in CLASS_MEASURES


def by_splits(estimator, inputs, splits, scorer, measure, options, given):
    """What _call("cv") returns, of any splits and scorers."""
    y = estimator.classes_[inputs.y.astype(int)] if is_classifier(estimator) else inputs.y
    whole = estimator._call("path", inputs, options, given)
    path = whole["path"]
    if whole["error"] is not None or not path:
        return {**whole, "mean": np.zeros(0), "others": [], "measure": measure}
    penalties = [estimator._given_penalty(whole, one) for one in path]
    errors, weights, folds, notes = [], [], [], list(whole["notes"])
    ended = whole
    for k, (train, test) in enumerate(splits.pairs):
        part = copy.copy(inputs)
        part.weights = train.astype(np.float64) * (1.0 if inputs.weights is None else inputs.weights)
        own = estimator._without_grid(options)
        try:
            result = estimator._call("path", part, own, penalties)
        except (UsageError, InputError) as error:
            raise type(error)(f"without the samples that split {k} holds out: {error}") from None
        if result["error"] is not None or len(result["path"]) < len(path):
            return {**whole, "error": result["error"], "stop_reason": result["stop_reason"], "converged": False,
                    "mean": np.zeros(0), "others": [], "measure": measure}
        held_out = _HeldOut(estimator, inputs, y, test)
        if not len(held_out.weights):
            raise InputError(f"cv: split {k} holds out no sample that has a weight")
        try:
            errors.append([held_out.score(result, solution, model, scorer, measure)
                           for solution, model in zip(result["path"], result["models"])])
        except ValueError as error:
            raise UsageError(f"scoring: of split {k}: {error}") from None
        weights.append(1.0 if scorer is not None else held_out.weights.sum())
        folds.append(result["path"])
        ended = result if ended["converged"] else ended
        notes += [f"without split {k}: {note}" for note in result["notes"] if note not in notes]
    errors = np.array(errors)
    sign = -1.0 if scorer is not None or is_better_large(measure) else 1.0
    mean, standard_error, least, simplest = _curve(errors, np.array(weights), sign)
    return {**whole, "converged": ended["converged"], "stop_reason": ended["stop_reason"], "notes": notes,
            "measure": measure, "mean": mean, "standard_error": standard_error, "fold_errors": list(errors),
            "folds": folds, "least": least, "simplest": simplest, "others": []}
