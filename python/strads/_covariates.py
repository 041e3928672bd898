"""What goes with the samples besides X: covariates, matched by name as scikit-learn matches X, and offsets."""

import sys
import warnings

import numpy as np
import scipy.sparse

from ._errors import InputError, UsageError, outside


def _column(name, values):
    """One column as float64; what is missing is NaN."""
    try:
        if hasattr(values, "to_numpy") and str(getattr(values, "dtype", "")).startswith(("Int", "UInt", "Float", "bool")):
            return values.to_numpy(dtype=np.float64, na_value=np.nan)  # pandas' own numbers, with NA
        return np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        found = next((one for one in values if isinstance(one, str)), None)
        raise InputError(f"covariates: {name!r} is no column of numbers" +
                         (f", found {found!r}" if found is not None else "") +
                         "; make it numbers, for example with pandas.get_dummies") from None


def names_of(table):
    """The names of a table's columns; None where there are none: an array, or columns that are numbered."""
    columns = getattr(table, "columns", None)
    if columns is None:
        name = getattr(table, "name", None)  # of a pandas.Series
        return [name] if isinstance(name, str) else None
    names = list(columns)
    texts = [isinstance(name, str) for name in names]
    if any(texts) and not all(texts):
        raise UsageError(f"covariates: found names {names}, expected either all texts or none")
    twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
    if twice is not None:
        raise UsageError(f"covariates: {twice!r} is there twice, expected each name once")
    return names if names and all(texts) else None


def columns_of(table):
    """[(name, float64 values)] of a pandas.DataFrame, or of n_samples x n_covariates numbers."""
    if table is None:
        return []
    names = names_of(table)
    if hasattr(table, "columns"):
        table_names = names or [f"covariate{k}" for k in range(len(table.columns))]
        by_place = table.iloc if hasattr(table, "iloc") else None
        return [(name, _column(name, by_place[:, k] if by_place is not None else table[name]))
                for k, name in enumerate(table_names)]
    values = table.toarray() if scipy.sparse.issparse(table) else table
    if names is not None:  # a named series
        return [(names[0], _column(names[0], values))]
    try:
        values = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("covariates: found something that is no number, expected numbers; of text columns make numbers, "
                         "for example with pandas.get_dummies") from None
    values = values[:, np.newaxis] if values.ndim == 1 else values
    if values.ndim != 2:
        raise InputError(f"covariates: found {values.ndim} dimensions, expected n_samples x n_covariates")
    return [(f"covariate{k}", np.ascontiguousarray(values[:, k])) for k in range(values.shape[1])]


def _listed(names, most=5):
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def as_in_fit(table, expected, fitted_by_name):
    """[(name, values)] in the order of the fit: by name where both have names, else by position."""
    given = columns_of(table)
    if not given and expected:
        raise UsageError(f"covariates: none, expected the {len(expected)} of the fit: {_listed(expected)}; give "
                         "covariates=..., and to functions of scikit-learn that hand over only X, as scorers do, "
                         "strads.WithCovariates(X, covariates)")
    by_name = names_of(table) is not None if table is not None else False
    if by_name and fitted_by_name:
        found = dict(given)
        absent = [name for name in expected if name not in found]
        unknown = [name for name in found if name not in expected]
        if absent or unknown:
            raise UsageError("covariates: expected those of the fit, by name" +
                             (f"; missing: {_listed(absent)}" if absent else "") +
                             (f"; not seen in the fit: {_listed(unknown)}" if unknown else ""))
        return [(name, found[name]) for name in expected]
    if len(given) != len(expected):
        raise UsageError(f"covariates: found {len(given)}, expected the {len(expected)} of the fit" +
                         (f", in their order: {_listed(expected)}" if expected else ""))
    if given and by_name != fitted_by_name:
        warnings.warn("covariates have " + ("names, but the fit had none" if by_name else "no names, but the fit had some") +
                      ": they are taken in their order", UserWarning, stacklevel=outside())
    return list(zip(expected, (values for _, values in given)))


def expect_finite(what, values, rows):
    """InputError with the place, counted from 0; of a prediction: what a fit leaves out has no prediction either."""
    if len(values) != rows:
        raise InputError(f"{what}: found {len(values)} rows, expected {rows}, as in X")
    wrong = np.flatnonzero(~np.isfinite(values))
    if wrong.size:
        raise InputError(f"{what}: row {wrong[0]} is {values[wrong[0]]}, expected a finite number; leave the sample out, or "
                         "fill it in")


class WithCovariates:
    """X together with what goes with its samples, where only X is handed over: scorers, GridSearchCV, cross_val_score.

    Wherever an estimator takes X it takes this, and its rows are chosen as those of X.

    Parameters
    ----------
    X : array, sparse matrix or table, n_samples x n_features
    covariates : table or array, n_samples x n_covariates, or None
    offset : n_samples numbers, or None
        Of LogisticRegression, PoissonLasso and those that are named after them.

    Examples
    --------
    >>> import numpy as np, strads
    >>> from sklearn.model_selection import cross_val_score
    >>> random = np.random.default_rng(0)
    >>> X, age = random.normal(size=(60, 5)), random.normal(50, 10, size=60)
    >>> y = X[:, 0] + 0.1 * age + random.normal(size=60)
    >>> scores = cross_val_score(strads.Lasso(0.1), strads.WithCovariates(X, age), y, cv=3)
    >>> bool(scores.min() > 0.3)
    True
    """

    def __init__(self, X, covariates=None, offset=None):
        self.X, self.covariates, self.offset = X, covariates, offset
        for what, values in (("covariates", covariates), ("offset", offset)):
            if values is not None and _rows(values) != _rows(X):
                raise InputError(f"{what}: found {_rows(values)} rows, expected {_rows(X)}, as in X")

    @property
    def shape(self):
        return self.X.shape if hasattr(self.X, "shape") else np.shape(self.X)

    def __len__(self):
        return _rows(self.X)

    def __getitem__(self, rows):
        from sklearn.utils import _safe_indexing

        rows = rows[0] if isinstance(rows, tuple) else rows
        if isinstance(rows, slice):
            rows = np.arange(len(self))[rows]
        return WithCovariates(*(None if part is None else _safe_indexing(_sliceable(part), rows)
                                for part in (self.X, self.covariates, self.offset)))


def _sliceable(part):
    return part.tocsr() if scipy.sparse.issparse(part) else part


def _rows(values):
    return values.shape[0] if hasattr(values, "shape") and len(values.shape) else len(values)


def together(X, covariates, offset=None):
    """(X, covariates, offset) of what was given, maybe as one."""
    if not isinstance(X, WithCovariates):
        return X, covariates, offset
    for what, values, own in (("covariates", covariates, X.covariates), ("offset", offset, X.offset)):
        if values is not None and own is not None:
            raise UsageError(f"{what} are given twice: beside X, and within WithCovariates; give them once")
    return X.X, X.covariates if covariates is None else covariates, X.offset if offset is None else offset


def refuse_blind_scorers(estimator, given):
    """A fit by a search or a validation of scikit-learn whose scorer will see X alone would end as a score of NaN, which
    is a warning there: refused here, where scikit-learn raises it. `given`: what the scorer would miss."""
    frame = sys._getframe(1)
    while frame is not None:
        is_theirs = frame.f_globals.get("__name__") == "sklearn.model_selection._validation"
        if is_theirs and frame.f_code.co_name == "_fit_and_score":
            scorer = frame.f_locals.get("scorer")
            scorers = list(scorer.values()) if isinstance(scorer, dict) else [scorer]
            modules = [getattr(one, "__module__", None) or type(one).__module__ for one in scorers]
            routed = frame.f_locals.get("score_params") or {}
            if all(str(module).startswith("sklearn.") for module in modules) and not set(given) <= set(routed):
                raise UsageError(
                    f"{type(estimator).__name__}: scorers of scikit-learn hand over X alone, without "
                    f"{' and '.join(given)}; give them together with X: strads.WithCovariates(X, covariates, offset)")
            return
        frame = frame.f_back
