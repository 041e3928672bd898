"""Least squares: Lasso, elastic net, their paths and cross-validations."""

import numpy as np
import scipy.sparse
from sklearn.base import RegressorMixin
from sklearn.model_selection import check_cv
from sklearn.utils.validation import _check_y, check_consistent_length, check_is_fitted

from . import _strads
from ._base import StradsEstimator, on_off, seed_of, threads_of
from ._data import is_on_disk, make_data


class _Linear(StradsEstimator):
    """From parameters to the options of `lasso fit`, `path` and `cv`. The loss is that of scikit-learn,
    1/(2N) ||y - X b - b0||^2, so that alpha is lambda / N."""

    def _problem(self):
        """The options that all three commands have."""
        center = on_off(self.fit_intercept)
        scale = getattr(self, "scale", False)
        return {
            "center": center,
            "center_y": center,
            "scale": on_off(scale),
            "scale_y": "off",
            "lambda_scale": "y" if scale else "sample",
            "l1_ratio": getattr(self, "l1_ratio", None),
            "nonnegative": "on" if self.positive else None,
            "tolerance": self.tol,
            "max_rounds": self.max_iter,
            "threads": threads_of(self.n_jobs),
            "seed": seed_of(self.random_state),
        }

    def _check(self, x, y, sample_weight):
        """What was given, checked: X, y as float64 (or None: of the files), weights."""
        if y is None and not is_on_disk(x):
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        x = self._check_x(x, reset=True)
        if y is not None and not is_on_disk(x):
            y = _check_y(y, multi_output=False, y_numeric=True, estimator=self)
            check_consistent_length(x, y)
        if y is not None:
            y = np.asarray(y, dtype=np.float64)
        return x, y, self._check_weights(sample_weight, x, y)

    def _is_constant(self, y, weights):
        """Whether there is nothing to explain: the commands call that an error, scikit-learn fits the mean."""
        if y is None:
            return False
        used = y[weights > 0] if weights is not None else y
        used = used[~np.isnan(used)]
        return used.size > 0 and bool(np.all(used == (used[0] if self.fit_intercept else 0.0)))

    def _keep_constant(self, x, y):
        self.coef_ = np.zeros(x.shape[1])
        self.n_features_in_ = x.shape[1]
        self.intercept_ = float(y[~np.isnan(y)][0]) if self.fit_intercept else 0.0
        self.dual_gap_ = self.relative_gap_ = 0.0
        self.n_iter_ = 1
        self.stop_reason_ = "constant response"
        self._model = None
        return self

    def _alpha(self, result, solution):
        """lambda in the units of the parameter alpha."""
        samples = result["samples"]
        return solution["lambda"] / (np.sqrt(samples) if getattr(self, "scale", False) else samples)

    def _keep_solution(self, result, solution, model):
        self.coef_ = self._dense(solution)
        self.intercept_ = solution["intercept"]
        self.dual_gap_ = solution["gap"] / result["samples"]
        self.relative_gap_ = solution["relative_gap"]
        self.beta_hash_ = solution["beta_hash"]
        self._model = model


class _FitMixin(RegressorMixin):
    """One fit."""

    def fit(self, X, y=None, sample_weight=None):
        """Fits the model.

        X: numpy array in Fortran order (float32, float64, int8), scipy CSC matrix, strads.Bed or strads.Pgen, n_samples x
        n_features; other arrays are copied once. y: n_samples numbers; with genotypes None: their own phenotype, NaN:
        the sample takes no part. sample_weight: n_samples numbers >= 0.
        """
        x, y, weights = self._check(X, y, sample_weight)
        if self._is_constant(y, weights):
            return self._keep_constant(x, y)
        data = make_data(x, y, weights=weights)
        result = self._call("fit", x, {**self._problem(), "lambda": float(self.alpha)}, data)
        self._keep_outcome(result)
        self._keep_solution(result, result["solution"], result["model"])
        return self._end(result)

    def predict(self, X):
        """X coef_ + intercept_: n_samples numbers."""
        return self._linear_part(X)


class Lasso(_FitMixin, _Linear):
    """minimizes 1/(2N) ||y - X b - b0||^2 + alpha ||b||_1, with a certificate (`dual_gap_`)."""

    def __init__(self, alpha=1.0, *, fit_intercept=True, scale=False, positive=False, tol=None, max_iter=None,
                 n_jobs=None, random_state=None, callback=None, options=None):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.positive = positive
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.options = options


class ElasticNet(_FitMixin, _Linear):
    """minimizes 1/(2N) ||y - X b - b0||^2 + alpha (l1_ratio ||b||_1 + (1 - l1_ratio) / 2 ||b||_2^2)."""

    def __init__(self, alpha=1.0, *, l1_ratio=0.5, fit_intercept=True, positive=False, tol=None, max_iter=None,
                 n_jobs=None, random_state=None, callback=None, options=None):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.options = options


class _Path(_Linear):
    """What a path and a cross-validation have in common."""

    def _path_options(self):
        problem = self._problem()
        if self.alphas is None:
            problem.update(lambdas=self.n_alphas, lambda_min_ratio=self.eps)
            if problem["lambda_scale"] == "y":  # of a grid it says nothing: folds have lambda times sqrt(N) anyway
                problem["lambda_scale"] = None
        return {**problem, "early_end": on_off(self.early_end)}

    def _given(self):
        return () if self.alphas is None else [float(alpha) for alpha in self.alphas]

    def _coefficients(self, path):
        """n_features x n_alphas, sparse by columns."""
        starts = np.cumsum([0] + [len(one["variables"]) for one in path])
        rows = np.concatenate([one["variables"] for one in path]) if path else np.zeros(0, dtype=np.int64)
        values = np.concatenate([one["coefficients"] for one in path]) if path else np.zeros(0)
        return scipy.sparse.csc_matrix((values, rows, starts), shape=(self.n_features_in_, len(path)))

    def _keep_path(self, result):
        path = result["path"]
        self.alphas_ = np.array([self._alpha(result, one) for one in path])
        self.coef_path_ = self._coefficients(path)
        self.intercepts_ = np.array([one["intercept"] for one in path])
        self.dual_gaps_ = np.array([one["gap"] / result["samples"] for one in path])
        self.explained_ = np.array([one["explained"] for one in path])
        self.path_hash_ = result["path_hash"]
        self._models = result["models"]


class LassoPath(_Path):
    """The Lasso at many alphas, from the largest down, each with its certificate.

    After fit: alphas_ (n_alphas), coef_path_ (n_features x n_alphas, scipy CSC), coefs_ (the same, dense), intercepts_,
    dual_gaps_, explained_ (R2).
    """

    def __init__(self, *, eps=None, n_alphas=100, alphas=None, early_end=True, fit_intercept=True, scale=False,
                 positive=False, tol=None, max_iter=None, n_jobs=None, random_state=None, callback=None, options=None):
        self.eps = eps
        self.n_alphas = n_alphas
        self.alphas = alphas
        self.early_end = early_end
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.positive = positive
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.options = options

    def fit(self, X, y=None, sample_weight=None):
        """Solves at every alpha. Arguments as Lasso.fit()."""
        x, y, weights = self._check(X, y, sample_weight)
        result = self._call("path", x, self._path_options(), make_data(x, y, weights=weights), self._given())
        self._keep_outcome(result)
        self._keep_path(result)
        return self._end(result)

    @property
    def coefs_(self):
        """n_features x n_alphas, dense, as sklearn.linear_model.lasso_path returns it."""
        check_is_fitted(self, "coef_path_")
        return self.coef_path_.toarray()

    def predict(self, X):
        """n_samples x n_alphas."""
        check_is_fitted(self, "coef_path_")
        if is_on_disk(X):
            return np.stack([_strads.predict(model, X._list(), None) for model in self._models], axis=1)
        x = self._check_x(X, reset=False)
        product = x @ self.coef_path_
        return (product.toarray() if scipy.sparse.issparse(product) else np.asarray(product)) + self.intercepts_

    def plot(self, ax=None, **how):
        """Coefficients against alpha. Returns matplotlib's axes."""
        from ._plots import plot_path

        return plot_path(self, ax, **how)


def folds_of(cv, y, classifier):
    """The number of the fold in which each sample is held out, from what scikit-learn takes as `cv`."""
    splitter = check_cv(cv, y, classifier=classifier)
    folds = np.full(len(y), -1, dtype=np.int64)
    for number, (_, held_out) in enumerate(splitter.split(np.zeros((len(y), 1)), y)):
        if np.any(folds[held_out] >= 0):
            raise ValueError("cv: a sample is held out twice, expected each in one fold, as KFold has them")
        folds[held_out] = number
    if np.any(folds < 0):
        raise ValueError("cv: a sample is in no fold, expected each in one, as KFold has them")
    return folds


class CurveMixin:
    """The picture of a cross-validation."""

    def plot(self, ax=None, **how):
        """Mean error and its standard error against the penalty. Returns matplotlib's axes."""
        from ._plots import plot_cv

        check_is_fitted(self)
        return plot_cv(self, ax, **how)


class _CvMixin(CurveMixin, RegressorMixin):
    """Cross-validation over one grid, or one for each l1_ratio."""

    def _folds(self, x, y):
        """(option --folds, folds of the rows): on disk the command deals them by sample id, as `lasso cv` does."""
        if self.options and "folds" in self.options:
            return {}, None
        if is_on_disk(x) or y is None:
            if self.cv is not None and not isinstance(self.cv, (int, str)):
                raise ValueError("cv: with genotypes on disk a number of folds, or a file as --folds takes it")
            return {"folds": self.cv}, None
        return {}, folds_of(self.cv, y, False)

    def fit(self, X, y=None, sample_weight=None):
        """Chooses alpha by cross-validation and keeps the solution on all samples. Arguments as Lasso.fit()."""
        x, y, weights = self._check(X, y, sample_weight)
        if self._is_constant(y, weights):
            self.alpha_, self.alphas_, self.mse_path_ = 0.0, np.zeros(1), np.zeros((1, 1))
            return self._keep_constant(x, y)
        dealt, folds = self._folds(x, y)
        ratios = np.atleast_1d(getattr(self, "l1_ratio", 1.0))
        data = make_data(x, y, weights=weights, folds=folds)
        results = []
        for ratio in ratios:
            own = {} if not hasattr(self, "l1_ratio") else {"l1_ratio": float(ratio)}
            results.append(self._call("cv", x, {**self._path_options(), **dealt, **own}, data, self._given()))
            if results[-1]["error"] is not None:
                break
        whole = [k for k, result in enumerate(results) if len(result["mean"])]
        if not whole:
            self._keep_outcome(results[0])
            return self._end(results[0])
        best = min(whole, key=lambda k: results[k]["mean"][results[k]["least"]])
        self._keep_choice(results[best])
        if hasattr(self, "l1_ratio"):
            self.l1_ratio_ = float(ratios[best])
            if np.ndim(self.l1_ratio):
                self.alphas_ = np.array([[self._alpha(r, one) for one in r["path"]] for r in results])
                self.mse_path_ = np.array([np.array(r["fold_errors"]).T for r in results])
        return self._end(results[-1])

    def _keep_choice(self, result):
        self._keep_outcome(result)
        self._keep_path(result)
        least, simplest = result["least"], result["simplest"]
        self.alpha_ = float(self.alphas_[least])
        self.alpha_1se_ = float(self.alphas_[simplest])
        self.mse_path_ = np.array(result["fold_errors"]).T
        self.mean_mse_ = result["mean"]
        self.measure_ = result["measure"]
        self._curve_alphas = self.alphas_
        self.standard_error_ = result["standard_error"]
        chosen = simplest if self.choice == "1se" else least
        self._keep_solution(result, result["path"][chosen], result["models"][chosen])

    def predict(self, X):
        """X coef_ + intercept_: n_samples numbers."""
        return self._linear_part(X)

    def _error_curve(self):
        return "alpha", self._curve_alphas, self.mean_mse_, self.alpha_, self.alpha_1se_


class LassoCV(_CvMixin, _Path):
    """The Lasso with alpha chosen by cross-validation.

    After fit: alpha_, alpha_1se_, alphas_, mse_path_ (n_alphas x n_folds), mean_mse_, standard_error_, coef_,
    intercept_ (of `choice`: "min" or "1se") and what LassoPath has.
    """

    def __init__(self, *, eps=1e-3, n_alphas=100, alphas=None, early_end=False, cv=None, choice="min",
                 fit_intercept=True, scale=False, positive=False, tol=None, max_iter=None, n_jobs=None,
                 random_state=None, callback=None, options=None):
        self.eps = eps
        self.n_alphas = n_alphas
        self.alphas = alphas
        self.early_end = early_end
        self.cv = cv
        self.choice = choice
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.positive = positive
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.options = options


class ElasticNetCV(_CvMixin, _Path):
    """The elastic net with alpha, and l1_ratio where it is a list, chosen by cross-validation."""

    def __init__(self, *, l1_ratio=0.5, eps=1e-3, n_alphas=100, alphas=None, early_end=False, cv=None, choice="min",
                 fit_intercept=True, positive=False, tol=None, max_iter=None, n_jobs=None, random_state=None,
                 callback=None, options=None):
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.n_alphas = n_alphas
        self.alphas = alphas
        self.early_end = early_end
        self.cv = cv
        self.choice = choice
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.options = options
