"""What the estimators of the Lasso have in common: from parameters to options, from results to attributes."""

import warnings
from inspect import signature

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, column_or_1d

from . import _strads
from ._covariates import as_in_fit, expect_finite, names_of, refuse_blind_scorers, together
from ._data import File, Inputs, explain, is_on_disk, lines_file, option_list
from ._errors import ConvergenceWarning, InputError, UsageError, outside
from ._params import Checked
from ._texts import in_python, stop_reason, translated

# What a fit keeps besides attributes whose names end with "_".
_KEPT = ("_model", "_models", "_covariate_coefs", "_has_offset", "_covariates_by_name", "_scale", "_curve", "_dtype",
         "_fills_missing", "_labels", "_means", "_of_class")
_NAMED_MISSES = 5  # of the solutions that miss the tolerance


# Its name before and after scikit-learn 1.6.
_FINITE = "ensure_all_finite" if "ensure_all_finite" in signature(check_array).parameters else "force_all_finite"


def _numbers_checked(x):
    """check_array() without a copy where none is needed. Whether X is finite is looked at while it is used."""
    return check_array(x, accept_sparse=True, dtype=None if _is_usable(x) else np.float64, **{_FINITE: False})


def _is_usable(x):
    kind = getattr(getattr(x, "dtype", None), "kind", "O")
    return kind in "fiub" and getattr(x.dtype, "itemsize", 16) <= 8 and x.dtype != np.float16


class StradsEstimator(Checked, BaseEstimator):
    """The base of all of them. Not for use by itself."""

    def _begin(self, X, covariates, offset=None):
        """Parameters are right, nothing is left of an earlier fit: (X, covariates, offset)."""
        for name in [one for one in vars(self) if (one.endswith("_") and not one.startswith("_")) or one in _KEPT]:
            delattr(self, name)
        self._check_parameters()
        X, own_covariates, own_offset = together(X, covariates, offset)
        missed = [name for name, value in (("covariates", covariates), ("offset", offset)) if value is not None]
        if missed:
            refuse_blind_scorers(self, missed)
        said = {**(X.options if is_on_disk(X) else {}), **(self.options or {})}
        self._fills_missing = said.get("missing") == "mean"
        self._covariates_by_name = own_covariates is not None and names_of(own_covariates) is not None
        return X, own_covariates, own_offset

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
        if reset:  # as in scikit-learn coefficients have the precision of the samples
            self._labels = _labels_of(x)
            self._dtype = np.float32 if checked.dtype == np.float32 else np.float64
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
        compiled = getattr(_strads, command)

        def run(*given):
            try:
                return compiled(*given)
            except (ValueError, RuntimeError) as error:
                raise explain(translated(error, self, not inputs.on_disk), inputs.x) from None

        if self.cluster is None:
            return run(every, inputs.views(), list(lambdas), self.callback, None, start)

        def files(store):
            more = [("lambda-file", lines_file(store, "lambdas", lambdas))] if len(lambdas) else []
            return inputs.files(store) + more

        return self.cluster._run(lambda more, nodes: run(every + more, None, [], self.callback, nodes, None), files)

    def _keep_outcome(self, result, in_memory=True):
        self.n_iter_ = max(1, int(result["rounds"]))
        self.stop_reason_ = stop_reason(result["stop_reason"])
        self.notes_ = [in_python(note, self, in_memory) for note in result["notes"]]
        self.seconds_ = {part: result["seconds_" + part] for part in ("load", "solve", "check")}
        self.config_ = result["config"]
        self.converged_ = bool(result["converged"])
        if result.get("columns"):
            self.n_features_in_ = int(result["columns"])

    def _keep_certificates(self, result, unit):
        """Of each solution of a path. unit: by what its objective is larger than that of the parameters."""
        path = result["path"]
        self.dual_gaps_ = np.array([one["gap"] for one in path]) / unit
        self.relative_gaps_ = np.array([one["relative_gap"] for one in path])
        self.converged_path_ = np.array([one["converged"] for one in path], dtype=bool)

    def _end(self, result, misses=()):
        """After everything was kept: what was interrupted ends as Python expects it. `misses`: (what it is, relative gap)
        of each solution that does not meet the tolerance."""
        if result["error"] is not None:
            raise result["error"]
        if misses or not result["converged"]:
            warnings.warn(self._miss_text(misses), ConvergenceWarning, stacklevel=outside())
        return self

    def _miss_text(self, misses):
        name, reason = type(self).__name__, self.stop_reason_.replace("_", " ")
        if not misses:
            return f"{name}: ended before all solutions were there ({reason})"
        named = ", ".join(f"{what} (relative gap {gap:.2g})" for what, gap in misses[:_NAMED_MISSES])
        more = f" and {len(misses) - _NAMED_MISSES} more" if len(misses) > _NAMED_MISSES else ""
        tol = 1e-6 if self.tol is None else self.tol
        # The first sentences are scikit-learn's, for filters of warnings that look for them.
        advice = ("Objective did not converge. You might want to increase the number of iterations, max_iter. "
                  if self.stop_reason_ == "max_iter" else "")
        return (f"{advice}{name}: the tolerance {tol:g} was not met ({reason}) at {named}{more}; what was found is kept, and its "
                "duality gap says how far from the optimum it may be")

    def _dense(self, solution):
        coefficients = np.zeros(self.n_features_in_, dtype=self._precision())
        coefficients[solution["variables"]] = solution["coefficients"]
        return coefficients

    def _precision(self):
        return getattr(self, "_dtype", np.float64)

    def _keep_covariates(self, models, solutions):
        """`models`, `solutions`: one of each, or those of a path."""
        self.covariate_names_ = list(models[0][5]) if models else []
        self._has_offset = bool(models and models[0][10])
        columns = [one["covariates"] for one in solutions]
        self._covariate_coefs = np.stack(columns, axis=1) if columns else np.zeros((len(self.covariate_names_), 0))
        self.covariate_coef_ = self._covariate_coefs[:, 0] if len(solutions) == 1 else self._covariate_coefs

    def _covariates_here(self, covariates, rows):
        """[(name, values)] of the fit's covariates, for `rows` samples; every one has a value."""
        given = as_in_fit(covariates, getattr(self, "covariate_names_", []), getattr(self, "_covariates_by_name", False))
        for name, values in given:
            expect_finite(f"covariates: {name}", values, rows)
        return given

    def _offset_here(self, offset, rows):
        if (offset is not None) != getattr(self, "_has_offset", False):
            raise UsageError("the model was fitted without offsets; leave them out" if offset is not None else
                             "the model was fitted with offsets; give those of these samples: offset=..., and to functions "
                             "of scikit-learn that hand over only X, as scorers do, strads.WithCovariates(X, offset=...)")
        if offset is None:
            return None
        offset = column_or_1d(offset).astype(np.float64)
        expect_finite("offset", offset, rows)
        return offset

    def _on_rows(self, covariates, offset, rows):
        """What covariates and offset add to each row: rows x solutions, or 0."""
        given = self._covariates_here(covariates, rows)
        out = np.stack([one for _, one in given], axis=1) @ self._covariate_coefs if given else 0.0
        offset = self._offset_here(offset, rows)
        return out if offset is None else out + offset[:, np.newaxis]

    def _rows_to_predict(self, x, means):
        """X, checked: an entry that is no number is an error, or its column's training mean where the fit was told so.
        means(): n_features of them."""
        self._expect_labels(x)
        x = self._check_x(x, reset=False)
        if scipy.sparse.issparse(x) and x.format not in ("csc", "csr"):
            x = x.tocsr()
        values = x.data if scipy.sparse.issparse(x) else x
        if values.dtype.kind != "f" or np.isfinite(values.sum(dtype=np.float64)):
            return x
        fills = getattr(self, "_fills_missing", False)
        wrong = np.isinf(values) if fills else ~np.isfinite(values)
        if wrong.any():
            self._refuse(x, wrong)
        if not fills:
            return x
        if not scipy.sparse.issparse(x):
            places = np.nonzero(np.isnan(x))
            x = x.copy()
            x[places] = means()[places[1]]
        else:
            x = scipy.sparse.csc_matrix(x, copy=True)
            missing = np.flatnonzero(np.isnan(x.data))
            x.data[missing] = means()[np.searchsorted(x.indptr, missing, side="right") - 1]
        return x

    def _expect_labels(self, x):
        """InputError where the columns of a table stand elsewhere than in the fit, which scikit-learn sees only where both
        have names that are text: of a fit of a file the model has them, of other labels (numbers) the estimator."""
        here = _labels_of(x)
        if here is None:
            return
        fitted = getattr(self, "_labels", None)
        if fitted is None:
            models = getattr(self, "_models", None) or [getattr(self, "_model", None)]
            named = [model for model in models if model is not None and model[3]]
            expected = {variable[0]: variable[1] for model in named for variable in model[7]}
            there = set(here)
            if not any(name in there for name in expected.values()):
                return  # by position, as scikit-learn warns
        elif len(fitted) == len(here) and set(fitted) == set(here) and not all(isinstance(one, str) for one in fitted):
            expected = dict(enumerate(fitted))
        else:
            return
        for column, name in expected.items():
            if column >= len(here) or here[column] != name:
                found = f"found {here[column]!r}" if column < len(here) else f"found {len(here)} columns"
                raise InputError(f"X: column {column} was {name!r} in the fit, {found} here: give the columns of the fit, in "
                                 "its order")

    def _refuse(self, x, wrong):
        """InputError that names the first entry; of a sparse X `wrong` says which of those that are stored."""
        if scipy.sparse.issparse(x):
            rows, columns = x.tocoo().row, x.tocoo().col
            first = np.flatnonzero(wrong)[0]
            row, column, value = rows[first], columns[first], x.data[first]
        else:
            row, column = np.argwhere(wrong)[0]
            value = x[row, column]
        what = "NaN" if np.isnan(value) else "infinity"
        raise InputError(f"X: row {row}, column {column} is {what}, expected a finite number; fill it in, leave the sample "
                         "out, or, of what is missing, fit with options={'missing': 'mean'}")

    def _training_means(self, models):
        means = np.zeros(self.n_features_in_)
        for model in models:
            for variable in model[7]:
                means[variable[0]] = variable[7]
        return means

    def _linear_part(self, X, covariates=None, offset=None):
        """intercept + X beta of every row, with covariates and offset."""
        check_is_fitted(self)
        X, covariates, offset = together(X, covariates, offset)
        if is_on_disk(X):
            return self._predict_on_disk(self._model, X, covariates, offset)
        x = self._rows_to_predict(X, lambda: self._training_means([self._model]))
        more = self._on_rows(covariates, offset, x.shape[0])
        coefficients = self.coef_.toarray() if scipy.sparse.issparse(self.coef_) else self.coef_
        out = safe_sparse_dot(x, np.ravel(coefficients), dense_output=True) + np.ravel(self.intercept_)[0]
        return out + (more if np.isscalar(more) else more[:, 0])

    def _by_name(self, model):
        """The model with the names of the fit's table, by which the columns of a file are found."""
        names = getattr(self, "feature_names_in_", None)
        if names is None or model[3]:
            return model
        variables = [(one[0], str(names[one[0]]), *one[2:]) for one in model[7]]
        return (*model[:3], True, *model[4:7], variables, *model[8:])

    def _predict_on_disk(self, model, x, covariates, offset, quiet=False):
        """quiet: what differs from the columns of the fit is said of another model."""
        data = None
        if covariates is not None or offset is not None:
            inputs = Inputs(x, offset=None if offset is None else column_or_1d(offset))
            if covariates is not None:
                inputs.covariates = as_in_fit(covariates, self.covariate_names_, self._covariates_by_name)
            for name, values in inputs.covariates:
                expect_finite(f"covariates: {name}", values, len(values))
            if inputs.offset is not None:
                expect_finite("offset", inputs.offset, len(inputs.offset))
            data = inputs.views()
        options = x._list()
        if isinstance(x, File) and "missing" not in x.options:  # of genotypes the mean always takes its place
            options.append(("missing", "mean" if self._fills_missing else "error"))
        try:
            predictions, notes = _strads.predict(self._by_name(model), options, data)
        except (ValueError, RuntimeError) as error:
            raise translated(error, self, False) from None
        for note in [] if quiet else notes:
            warnings.warn(f"{type(self).__name__}: {in_python(note, self, False)}", UserWarning, stacklevel=outside())
        return predictions

    # scikit-learn before 1.6, and from then on.
    def _more_tags(self):
        return {}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _labels_of(x):
    """The labels of a table's columns; None of an array."""
    columns = getattr(x, "columns", None)
    return None if columns is None or is_on_disk(x) else list(columns)


def on_off(value):
    return "on" if value else "off"


def threads_of(n_jobs):
    """n_jobs as --threads: None and -1 are all cores that the process may use, -2 all but one; it changes no bit."""
    if n_jobs is None or n_jobs == -1:
        return None
    return int(n_jobs) if n_jobs > 0 else max(1, _strads.available_threads() + 1 + int(n_jobs))


def seed_of(random_state):
    """random_state as --seed: a number, or one that a generator draws. None: the same one every time, so that a fit can
    be repeated."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    return None if random_state is None else int(random_state)
