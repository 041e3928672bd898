"""Least squares: Lasso, elastic net and their cross-validations."""

import numpy as np
import scipy.sparse
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import _check_y, check_consistent_length, check_is_fitted

from ._base import StradsEstimator, on_off, seed_of, threads_of
from ._data import Inputs, is_on_disk
from ._errors import UsageError
from ._fitting import CvMixin, FitMixin
from ._set_aside import check_gram, check_quiet
from ._several import responses_of
from ._unpenalised import announce_least_squares, least_squares, projected, with_unpenalised


class _Linear(StradsEstimator):
    """From parameters to the options of `lasso fit`, `path` and `cv`. The loss is that of scikit-learn,
    1/(2N) ||y - X b - b0||^2, so that alpha is lambda / N."""

    _family = "gaussian"

    def _problem(self):
        """The options that all three commands have."""
        center = on_off(self.fit_intercept)
        scale = getattr(self, "scale", False)
        return {
            "center": center,
            "center_y": center,
            "scale": on_off(scale),
            "scale_y": "off",
            "lambda_scale": self._lambda_scale(),
            "l1_ratio": self._ratio(),
            "nonnegative": "on" if self.positive else None,
            "tolerance": self.tol,
            "max_rounds": self.max_iter,
            "threads": threads_of(self.n_jobs),
            "seed": seed_of(self.random_state),
        }

    def _ratio(self):
        return getattr(self, "l1_ratio", 1.0)

    def _lambda_scale(self):
        return "y" if getattr(self, "scale", False) else "sample"

    def _check(self, x, y, sample_weight, *, offset=None, **more):
        """What was given, checked; y as float64, or None: of the files."""
        if offset is not None and self._family == "gaussian":
            raise UsageError("offset goes with LogisticRegression, PoissonLasso and those named after them; with least squares "
                             "subtract it from y")
        if y is None and not is_on_disk(x):
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        x = self._check_x(x, reset=True)
        responses = responses_of(y, self, is_on_disk(x))
        if responses is not None:
            if not is_on_disk(x):
                check_consistent_length(x, y)
            y = responses[0][1]
        elif y is not None and not is_on_disk(x):
            y = _check_y(y, multi_output=False, y_numeric=True, estimator=self)
            check_consistent_length(x, y)
        weights = self._check_weights(sample_weight, x)
        check_quiet(getattr(self, "verbose", 0))
        if hasattr(self, "precompute"):
            check_gram(self.precompute, x, weights, self.fit_intercept)
        inputs = Inputs(x, y, weights=weights, offset=offset, **more)
        if responses is not None:
            inputs.set_responses(responses)
        return inputs

    def _call(self, command, inputs, options, lambdas=(), start=None):
        call = super()._call
        if 0.0 in lambdas:
            return with_unpenalised(lambda: least_squares(self, inputs),
                                    lambda above: self._call(command, inputs, options, above), lambdas)
        if not self._projects(inputs):
            return call(command, inputs, options, lambdas, start)
        return projected(self, call, command, inputs, options, lambdas)

    def _projects(self, inputs):
        """Whether something has no penalty, which the solver does only together with an intercept."""
        free = inputs.penalty_factors is not None and np.any(inputs.penalty_factors == 0)
        return not self.fit_intercept and bool(free or inputs.covariates)

    def _without_penalty(self, inputs):
        if self.alpha != 0:
            return None
        fitted = least_squares(self, inputs)
        announce_least_squares(self)
        return fitted

    def _is_constant(self, inputs):
        """Whether there is nothing to explain: the commands call that an error, scikit-learn fits the mean."""
        if inputs.y is None:
            return False
        used = inputs.y if inputs.weights is None else inputs.y[inputs.weights > 0]
        used = used[~np.isnan(used)]
        return used.size > 0 and bool(np.all(used == (used[0] if self.fit_intercept else 0.0)))

    def _keep_constant(self, inputs):
        y, columns = inputs.y, inputs.x.shape[1]
        self.coef_ = np.zeros(columns, dtype=self._precision())
        self.n_features_in_ = columns
        self.intercept_ = float(y[~np.isnan(y)][0]) if self.fit_intercept else 0.0
        self.dual_gap_ = self.relative_gap_ = 0.0
        self.n_iter_ = 1
        self.stop_reason_ = "constant response"
        self.converged_ = True
        self._model = None
        self.covariate_names_ = [name for name, _ in inputs.covariates]
        self.covariate_coef_ = np.zeros(len(inputs.covariates))
        self._covariate_coefs = self.covariate_coef_[:, np.newaxis]
        return self

    def _penalty(self, _):
        return float(self.alpha)

    def _alpha(self, result, solution):
        """lambda in the units of the parameter alpha; those of `alphas` with their own bits."""
        samples = result["samples"]
        alpha = solution["lambda"] / (np.sqrt(samples) if getattr(self, "scale", False) else samples)
        if getattr(self, "alphas", None) is None:
            return alpha
        given = np.asarray(self.alphas, dtype=np.float64)
        return float(given[np.argmin(np.abs(given - alpha))])

    def _asked(self):
        return f"alpha={float(self.alpha):g}"

    def _named(self, result, solution):
        return f"alpha={self._alpha(result, solution):.4g}"

    def _given_penalty(self, result, solution):
        return self._alpha(result, solution)

    def _keep_solution(self, result, solution, model):
        self.coef_ = self._dense(solution)
        intercept = solution["intercept"]
        self.intercept_ = np.float32(intercept) if self._precision() is np.float32 else intercept
        self.dual_gap_ = solution["gap"] / result["samples"]
        self.relative_gap_ = solution["relative_gap"]
        self.beta_hash_ = solution["beta_hash"]
        self._model = model
        self._keep_covariates([model], [solution])


class _Predicts(RegressorMixin):
    @property
    def sparse_coef_(self):
        """coef_ as scipy CSR, 1 x n_features."""
        check_is_fitted(self)
        return scipy.sparse.csr_matrix(self.coef_)

    def predict(self, X, *, covariates=None):
        """X coef_ + intercept_: n_samples numbers, of several responses n_samples x n_responses. covariates: those of the fit,
        for these samples; columns of a table are found by name."""
        each = getattr(self, "estimators_", None)
        if each is not None:
            return np.stack([one.predict(X, covariates=covariates) for one in each], axis=1)
        return self._linear_part(X, covariates)

    def score(self, X, y, sample_weight=None, *, covariates=None):
        """R2 of predict(X, covariates=covariates)."""
        return r2_score(y, self.predict(X, covariates=covariates), sample_weight=sample_weight)


class Lasso(_Predicts, FitMixin, _Linear):
    """minimizes 1/(2N) ||y - X b - b0||^2 + alpha ||b||_1, with a certificate (`dual_gap_`)."""

    def __init__(self, alpha=1.0, *, fit_intercept=True, scale=False, precompute=False, copy_X=True, max_iter=None,
                 tol=None, warm_start=False, positive=False, random_state=None, selection="cyclic", n_jobs=None,
                 callback=None, cluster=None, options=None):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.copy_X = copy_X
        self.warm_start = warm_start
        self.selection = selection
        self.scale = scale
        self.positive = positive
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.cluster = cluster
        self.options = options


class ElasticNet(_Predicts, FitMixin, _Linear):
    """minimizes 1/(2N) ||y - X b - b0||^2 + alpha (l1_ratio ||b||_1 + (1 - l1_ratio) / 2 ||b||_2^2)."""

    def __init__(self, alpha=1.0, *, l1_ratio=0.5, fit_intercept=True, precompute=False, max_iter=None, copy_X=True,
                 tol=None, warm_start=False, positive=False, random_state=None, selection="cyclic", n_jobs=None,
                 callback=None, cluster=None, options=None):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.copy_X = copy_X
        self.warm_start = warm_start
        self.selection = selection
        self.positive = positive
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.cluster = cluster
        self.options = options


class _Path(_Linear):
    """What a path and a cross-validation have in common."""

    def _path_options(self):
        options = {"early_end": on_off(self.early_end)}
        if self.alphas is None:
            options.update(lambdas=self.n_alphas, lambda_min_ratio=self.eps)
            if getattr(self, "scale", False):  # of a grid it says nothing: folds have lambda times sqrt(N) anyway
                options["lambda_scale"] = None
        return options

    def _given(self):
        given = () if self.alphas is None else [float(alpha) for alpha in self.alphas]
        if 0.0 in given:
            announce_least_squares(self)
        return given

    def _grid(self, _):
        return self._path_options(), self._given()

    def _keep_penalties(self, result):
        self.alphas_ = np.array([self._alpha(result, one) for one in result["path"]])
        self._keep_certificates(result, result["samples"])

    def _keep_path(self, result):
        path = result["path"]
        self._keep_penalties(result)
        self.coef_path_ = self._coefficients(path)
        self.intercepts_ = np.array([one["intercept"] for one in path], dtype=self._precision())
        self.explained_ = np.array([one["explained"] for one in path])
        self.path_hash_ = result["path_hash"]
        self._models = result["models"]
        self._keep_covariates(self._models, path)

    def _coefficients(self, path):
        """n_features x n_alphas, sparse by columns."""
        starts = np.cumsum([0] + [len(one["variables"]) for one in path])
        rows = np.concatenate([one["variables"] for one in path]) if path else np.zeros(0, dtype=np.int64)
        values = np.concatenate([one["coefficients"] for one in path]) if path else np.zeros(0)
        values = values.astype(self._precision(), copy=False)
        return scipy.sparse.csc_matrix((values, rows, starts), shape=(self.n_features_in_, len(path)))


class _PathCv(CvMixin, _Path):
    """Cross-validation over alphas."""

    def _scoring(self):
        return self.scoring

    def _keep_choice(self, result, _):
        self.alpha_ = float(self.alphas_[result["least"]])
        self.alpha_1se_ = float(self.alphas_[result["simplest"]])
        self._curve = self.alphas_, self.mean_score_

    def _keep_grids(self, results):
        """Of several l1_ratio: one more dimension, as in scikit-learn."""
        self.alphas_ = np.array([[self._alpha(r, one) for one in r["path"]] for r in results])
        if self.alphas is not None:
            self.alphas_ = self.alphas_[0]  # they were given, the same of all ratios
        self.scores_ = np.array([np.array(r["fold_errors"]).T for r in results])

    def _error_curve(self):
        return "alpha", *self._curve, self.alpha_, self.alpha_1se_


class _LinearCv(_Predicts, _PathCv):
    """Cross-validation of the squared loss."""

    def _keep_constant(self, inputs):
        # The grid is scikit-learn's for a y in which there is nothing to explain: its smallest alpha, again and again.
        smallest = np.finfo(np.float64).resolution
        given = None if self.alphas is None else np.sort(np.asarray(self.alphas, dtype=np.float64))[::-1]
        self.alphas_ = np.full(self.n_alphas, smallest) if given is None else given
        self.alpha_ = self.alpha_1se_ = float(self.alphas_[0])
        self.mse_path_ = np.zeros((len(self.alphas_), 1))
        return super()._keep_constant(inputs)

    def _keep_choice(self, result, chosen):
        super()._keep_choice(result, chosen)
        if result["measure"] == "mse":
            self.mse_path_, self.mean_mse_ = self.scores_, self.mean_score_

    def _keep_grids(self, results):
        super()._keep_grids(results)
        if results[0]["measure"] == "mse":
            self.mse_path_ = self.scores_


class LassoCV(_LinearCv):
    """The Lasso with alpha chosen by cross-validation. coef_ and what goes with it are those of `choice`."""

    _of_one_penalty = Lasso

    def __init__(self, *, eps=1e-3, n_alphas=100, alphas=None, early_end=False, cv=None, scoring="mse",
                 choice="min", fit_intercept=True, scale=False, precompute="auto", max_iter=None, tol=None, copy_X=True,
                 verbose=False, n_jobs=None, positive=False, random_state=None, selection="cyclic",
                 warm_start=False, callback=None, cluster=None, options=None):
        self.precompute = precompute
        self.copy_X = copy_X
        self.verbose = verbose
        self.selection = selection
        self.eps = eps
        self.n_alphas = n_alphas
        self.alphas = alphas
        self.early_end = early_end
        self.cv = cv
        self.scoring = scoring
        self.choice = choice
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.positive = positive
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.callback = callback
        self.cluster = cluster
        self.options = options


class ElasticNetCV(_LinearCv):
    """The elastic net with alpha, and l1_ratio where it is a list, chosen by cross-validation."""

    _of_one_penalty = ElasticNet

    def __init__(self, *, l1_ratio=0.5, eps=1e-3, n_alphas=100, alphas=None, early_end=False, cv=None, scoring="mse",
                 choice="min", fit_intercept=True, precompute="auto", max_iter=None, tol=None, copy_X=True,
                 verbose=False, n_jobs=None, positive=False, random_state=None, selection="cyclic",
                 warm_start=False, callback=None, cluster=None, options=None):
        self.precompute = precompute
        self.copy_X = copy_X
        self.verbose = verbose
        self.selection = selection
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.n_alphas = n_alphas
        self.alphas = alphas
        self.early_end = early_end
        self.cv = cv
        self.scoring = scoring
        self.choice = choice
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.callback = callback
        self.cluster = cluster
        self.options = options
