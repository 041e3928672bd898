"""What the estimators of the Lasso have in common: from parameters to options, from results to attributes."""

import warnings
from inspect import signature

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, column_or_1d

from . import _strads
from ._errors import InputError, UsageError
from ._data import Inputs, covariates_of, explain, is_on_disk, lines_file, option_list


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

    def _check_weights(self, sample_weight, x):
        if sample_weight is None:
            return None
        if is_on_disk(x):
            return np.asarray(sample_weight, dtype=np.float64)
        return _check_sample_weight(sample_weight, x, dtype=np.float64)

    def _call(self, command, inputs, options, lambdas=(), start=None):
        """One command: its results as a dict. What ended it early is raised when the results are in their places.
        start: the model of an earlier fit to begin with, which saves time (nodes of a cluster begin with zeros)."""
        every = inputs.options + option_list({**options, **(self.options or {})})
        run = getattr(_strads, command)
        try:
            if self.cluster is None:
                return run(every, inputs.views(), list(lambdas), self.callback, None, start)

            def files(store):
                more = [("lambda-file", lines_file(store, "lambdas", lambdas))] if len(lambdas) else []
                return inputs.files(store) + more

            return self.cluster._run(lambda more, nodes: run(every + more, None, [], self.callback, nodes, None), files)
        except ValueError as error:
            raise explain(error, inputs.x) from None

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
            limit = result["stop_reason"] == "max_rounds"
            warnings.warn(
                ("Objective did not converge. You might want to increase the number of iterations, max_iter. " if limit else "")
                + f"{type(self).__name__}: ended before the tolerance was met ({result['stop_reason']}); dual_gap_ says "
                "how far from the optimum it may be", ConvergenceWarning, stacklevel=3)
        return self

    def _dense(self, solution):
        coefficients = np.zeros(self.n_features_in_)
        coefficients[solution["variables"]] = solution["coefficients"]
        return coefficients

    def _keep_covariates(self, models, solutions):
        """`models`, `solutions`: one of each, or those of a path."""
        self.covariate_names_ = list(models[0][5]) if models else []
        self._has_offset = bool(models and models[0][10])
        columns = [one["covariates"] for one in solutions]
        self._covariate_coefs = np.stack(columns, axis=1) if columns else np.zeros((len(self.covariate_names_), 0))
        self.covariate_coef_ = self._covariate_coefs[:, 0] if len(solutions) == 1 else self._covariate_coefs

    def _on_rows(self, covariates, offset, rows):
        """What covariates and offset add to each row: rows x solutions, or 0."""
        given = covariates_of(covariates)
        expected = len(getattr(self, "covariate_names_", []))
        if len(given) != expected:
            raise UsageError(f"covariates: found {len(given)}, expected the {expected} of the fit, in their order")
        out = 0.0
        if given:
            values = np.stack([one for _, one in given], axis=1)
            if len(values) != rows:
                raise InputError(f"covariates: found {len(values)} rows, expected {rows}")
            out = values @ self._covariate_coefs
        if (offset is not None) != getattr(self, "_has_offset", False):
            raise UsageError("the model was fitted without offsets; leave them out" if offset is not None else
                             "the model was fitted with offsets; give those of these samples: offset=...")
        if offset is not None:
            out = out + column_or_1d(offset).astype(np.float64)[:, np.newaxis]
        return out

    def _linear_part(self, x, covariates=None, offset=None):
        """intercept + X beta of every row, with covariates and offset."""
        check_is_fitted(self)
        if is_on_disk(x):
            return self._predict_on_disk(self._model, x, covariates, offset)
        x = self._check_x(x, reset=False)
        more = self._on_rows(covariates, offset, x.shape[0])
        if not scipy.sparse.issparse(x) and not np.isfinite(x.sum(dtype=np.float64)):
            check_array(x, dtype=None)  # says which entry it is
        coefficients = self.coef_.toarray() if scipy.sparse.issparse(self.coef_) else self.coef_
        out = safe_sparse_dot(x, np.ravel(coefficients), dense_output=True) + np.ravel(self.intercept_)[0]
        return out + (more if np.isscalar(more) else more[:, 0])

    def _predict_on_disk(self, model, x, covariates, offset):
        data = None
        if covariates is not None or offset is not None:
            data = Inputs(x, covariates=covariates, offset=offset).views()
        return _strads.predict(model, x._list(), data)

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
