"""Counts: Poisson regression with the l1 norm or the elastic net."""

import numpy as np
import scipy.sparse
from sklearn.base import RegressorMixin
from sklearn.metrics import d2_tweedie_score
from sklearn.utils.validation import check_is_fitted

from ._base import on_off
from ._fitting import FitMixin
from ._lasso_path import LassoPath
from ._linear import _Linear, _PathCv
from ._several import columns_of_each


class _Counts:
    """From parameters to the options of --family poisson. The loss is that of scikit-learn's PoissonRegressor, half of the
    mean deviance, so that alpha is lambda / N. Stands before _Linear."""

    _family = "poisson"

    def _problem(self):
        return {**super()._problem(), "family": "poisson", "center_y": None, "scale_y": None,
                "intercept": on_off(self.fit_intercept)}

    def fit(self, X, y=None, sample_weight=None, *, covariates=None, penalty_factors=None, offset=None):
        """As Lasso.fit(); y: a count for each sample, a number of at least 0. offset: n_samples numbers that are added to the
        logarithm of the mean: of counts per time, area or person the logarithm of that."""
        return self._fit(X, y, sample_weight, covariates=covariates, penalty_factors=penalty_factors, offset=offset)

    def _projects(self, _):
        return False  # the solver has what has no penalty with and without an intercept

    def _is_constant(self, _):
        return False  # of a constant count the command fits the mean

    def _more_tags(self):
        return {"requires_positive_y": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags


class _PredictsMeans(RegressorMixin):
    @property
    def sparse_coef_(self):
        """coef_ as scipy CSR, 1 x n_features."""
        check_is_fitted(self)
        return scipy.sparse.csr_matrix(self.coef_)

    def predict(self, X, *, covariates=None, offset=None):
        """The expected count of each sample, exp(X coef_ + intercept_ + offset): n_samples numbers, of several responses
        n_samples x n_responses. covariates, offset: as in the fit, of these samples."""
        each = getattr(self, "estimators_", None)
        if each is not None:
            return np.stack([one.predict(X, covariates=covariates, offset=offset) for one in each], axis=1)
        return np.exp(self._linear_part(X, covariates, offset))

    def score(self, X, y, sample_weight=None, *, covariates=None, offset=None):
        """D2, the share of the deviance that predict() explains: 1 - deviance / deviance of the mean of y, which is
        sklearn.metrics.d2_tweedie_score(power=1); of several responses its mean over them."""
        predicted = self.predict(X, covariates=covariates, offset=offset)
        if not hasattr(self, "estimators_"):
            return d2_tweedie_score(y, predicted, sample_weight=sample_weight, power=1)
        each = columns_of_each(y, predicted.shape[1])
        return float(np.mean([d2_tweedie_score(one, predicted[:, k], sample_weight=sample_weight, power=1)
                              for k, one in enumerate(each)]))


class PoissonLasso(_PredictsMeans, _Counts, FitMixin, _Linear):
    """minimizes 1/(2N) deviance(y, exp(X b + b0)) + alpha (l1_ratio ||b||_1 + (1 - l1_ratio) / 2 ||b||_2^2)."""

    def __init__(self, alpha=1.0, *, l1_ratio=1.0, fit_intercept=True, max_iter=None, tol=None, warm_start=False,
                 positive=False, random_state=None, n_jobs=None, callback=None, cluster=None, options=None):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.warm_start = warm_start
        self.positive = positive
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.cluster = cluster
        self.options = options


class PoissonLassoPath(_Counts, LassoPath):
    """PoissonLasso at many alphas, from the largest down, each with its certificate. Of several responses, or of several
    l1_ratio, `estimators_` has a path for each."""

    _of_one_penalty = PoissonLasso

    def __init__(self, *, l1_ratio=1.0, eps=None, n_alphas=100, alphas=None, early_end=True, fit_intercept=True,
                 positive=False, tol=None, max_iter=None, n_jobs=None, random_state=None, warm_start=False, callback=None,
                 cluster=None, options=None):
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.n_alphas = n_alphas
        self.alphas = alphas
        self.early_end = early_end
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

    def fit(self, X, y=None, sample_weight=None, *, covariates=None, penalty_factors=None, offset=None, split=None):
        """As PoissonLasso.fit() and LassoPath.fit(): y may have a column for each of several responses, and split says who
        trains, validates and tests."""
        return self._fit(X, y, sample_weight, covariates=covariates, penalty_factors=penalty_factors, offset=offset, split=split)

    def predict(self, X, *, covariates=None, offset=None):
        """n_samples x n_alphas expected counts, of several paths a list of these. covariates, offset: as in the fit, of these
        samples."""
        links = self._links(X, covariates, offset)
        return [np.exp(one) for one in links] if isinstance(links, list) else np.exp(links)


class PoissonLassoCV(_PredictsMeans, _Counts, _PathCv):
    """PoissonLasso with alpha, and l1_ratio where it is a list, chosen by cross-validation. coef_ and what goes with it are
    those of `choice`."""

    _of_one_penalty = PoissonLasso

    def __init__(self, *, l1_ratio=1.0, eps=None, n_alphas=100, alphas=None, early_end=False, cv=None,
                 scoring="deviance", choice="min", fit_intercept=True, max_iter=None, tol=None, n_jobs=None,
                 positive=False, random_state=None, warm_start=False, callback=None, cluster=None, options=None):
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

    def fit(self, X, y=None, sample_weight=None, *, groups=None, covariates=None, penalty_factors=None, offset=None):
        """As PoissonLasso.fit(). groups: n_samples labels for a splitter that goes by groups, as cv=GroupKFold()."""
        return self._fit(X, y, sample_weight, groups=groups, covariates=covariates, penalty_factors=penalty_factors,
                         offset=offset)
