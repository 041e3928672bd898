"""What the estimators of the Lasso have in common: from parameters to options, from results to attributes."""

import warnings
from inspect import signature

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted

from . import _strads
from ._errors import UsageError
from ._data import explain, is_on_disk, make_data, option_list


# Its name before and after scikit-learn 1.6.
_FINITE = "ensure_all_finite" if "ensure_all_finite" in signature(check_array).parameters else "force_all_finite"


def _numbers_checked(x):
    """check_array() without a copy where none is needed. Whether X is finite is looked at while it is used."""
    return check_array(x, accept_sparse=True, dtype=None if _is_usable(x) else np.float64, **{_FINITE: False})


def _is_usable(x):
    kind = getattr(getattr(x, "dtype", None), "kind", "O")
    return kind in "fiub" and getattr(x.dtype, "itemsize", 16) <= 8 and x.dtype != np.float16


class StradsEstimator(BaseEstimator):
    """The base of all of them. Not for use by itself."""

    def _check_x(self, x, reset):
        """X as an array, a sparse matrix, or genotypes on disk; sets or compares names and number of columns."""
        if is_on_disk(x):
            return x
        try:
            self._check_feature_names(x, reset=reset)  # scikit-learn before 1.6
            checked = _numbers_checked(x)
            self._check_n_features(checked, reset=reset)
        except AttributeError:
            from sklearn.utils import validation

            if not hasattr(validation, "validate_data"):
                raise
            checked = validation.validate_data(  # 1.6 and later
                self, x, reset=reset, accept_sparse=True, dtype=None if _is_usable(x) else np.float64,
                ensure_all_finite=False)
        if np.iscomplexobj(checked):
            raise ValueError("Complex data not supported")
        return checked

    def _check_weights(self, sample_weight, x, y):
        if sample_weight is None:
            return None
        if is_on_disk(x):
            return np.asarray(sample_weight, dtype=np.float64)
        return _check_sample_weight(sample_weight, x, dtype=np.float64)

    def _call(self, command, x, options, data, lambdas=()):
        """One command: its results as a dict. What ended it early is raised when the results are in their places."""
        more = x._list() if is_on_disk(x) else []
        every = more + option_list({**options, **(self.options or {})})
        try:
            return getattr(_strads, command)(every, data, list(lambdas), self.callback)
        except ValueError as error:
            raise explain(error, x) from None

    def _keep_outcome(self, result):
        self.n_iter_ = max(1, int(result["rounds"]))
        self.stop_reason_ = result["stop_reason"]
        self.notes_ = list(result["notes"])
        self.seconds_ = {part: result["seconds_" + part] for part in ("load", "solve", "check")}
        self.config_ = result["config"]
        if result.get("columns"):
            self.n_features_in_ = int(result["columns"])

    def _end(self, result):
        """After everything was kept: what was interrupted ends as Python expects it."""
        if result["error"] is not None:
            raise result["error"]
        if not result["converged"]:
            warnings.warn(
                f"{type(self).__name__}: ended before the tolerance was met ({result['stop_reason']}); dual_gap_ says "
                "how far from the optimum it may be", ConvergenceWarning, stacklevel=3)
        return self

    def _dense(self, solution):
        coefficients = np.zeros(self.n_features_in_)
        coefficients[solution["variables"]] = solution["coefficients"]
        return coefficients

    def _linear_part(self, x):
        """intercept + X beta of every row."""
        check_is_fitted(self)
        if is_on_disk(x):
            return _strads.predict(self._model, x._list(), None)
        x = self._check_x(x, reset=False)
        if not scipy.sparse.issparse(x) and not np.isfinite(x.sum(dtype=np.float64)):
            check_array(x, dtype=None)  # says which entry it is
        return safe_sparse_dot(x, self.coef_.T, dense_output=True) + self.intercept_

    # scikit-learn before 1.6, and from then on.
    def _more_tags(self):
        return {}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def on_off(value):
    return "on" if value else "off"


def threads_of(n_jobs):
    """n_jobs as --threads: None and -1 are all cores, which changes no bit."""
    return None if n_jobs is None or n_jobs < 0 else n_jobs


def seed_of(random_state):
    """random_state as --seed: a number, so that a fit can be repeated."""
    if random_state is None or isinstance(random_state, (int, np.integer)):
        return random_state
    raise UsageError(f"random_state: found {random_state!r}, expected a whole number or None")
