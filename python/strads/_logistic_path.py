"""The path of two classes: of several responses and l1 ratios, and with a split."""

import numpy as np
from scipy.special import expit

from ._lasso_path import LassoPath
from ._logistic import CsGrid, Logistic, LogisticRegression, named_classes, scale_of
from ._parts import parts_of
from ._several import columns_of_responses, fit_each


class LogisticRegressionPath(CsGrid, Logistic, LassoPath):
    """LogisticRegression at many Cs, from the smallest up, each with its certificate. Of several responses, or of several
    l1_ratio, `estimators_` has a path for each."""

    _of_one_penalty = LogisticRegression
    _no_penalty = "inf out of Cs"
    penalty = "elasticnet"  # what l1_ratio says

    def __init__(self, *, Cs=100, eps=None, l1_ratio=1.0, early_end=True, fit_intercept=True, class_weight=None, tol=None,
                 max_iter=None, n_jobs=None, random_state=None, warm_start=False, callback=None, cluster=None, options=None):
        self.Cs = Cs
        self.eps = eps
        self.l1_ratio = l1_ratio
        self.early_end = early_end
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.callback = callback
        self.cluster = cluster
        self.options = options

    def fit(self, X, y=None, sample_weight=None, *, covariates=None, penalty_factors=None, offset=None, split=None):
        """As LogisticRegression.fit() and LassoPath.fit(): y may have a column for each of several responses, and split says
        who trains, validates and tests. C is that of those who train; `best_estimator_`, of more samples, has the same penalty
        per sample: its C is smaller. class_weight='balanced' counts those who train."""
        return self._fit(X, y, sample_weight, covariates=covariates, penalty_factors=penalty_factors, offset=offset, split=split)

    def _fit(self, X, y, sample_weight, **more):
        """Several responses one by one: each has classes, and weights of its classes, of its own."""
        columns = columns_of_responses(y)
        if columns is None:
            return LassoPath._fit(self, X, y, sample_weight, **more)
        parts_of(more.get("split"))  # what is wrong with it is wrong before anything is fitted
        ratios, before = np.size(self.l1_ratio), getattr(self, "estimators_", [])
        self._begin(X, more.get("covariates"), more.get("offset"))
        try:
            fit_each(self, [name for name, _ in columns],
                     lambda one, k: one._fit_again(before[k * ratios:(k + 1) * ratios], X, columns[k][1], sample_weight, more))
        finally:
            self._flatten()
        return self._keep_of_all()

    def _fit_again(self, before, X, y, sample_weight, more):
        """before: paths of an earlier fit, one for each l1_ratio, with which a warm start begins."""
        self.estimators_ = before
        return LassoPath._fit(self, X, y, sample_weight, **more)

    def _flatten(self):
        """Of responses with several l1_ratio each: one list."""
        each = []
        for of_one in getattr(self, "estimators_", []):
            paths = getattr(of_one, "estimators_", [of_one])
            for path in paths:
                path.response_ = of_one.response_
            each.extend(paths)
        if each:
            self._keep_each(each)

    def _check_parts(self, parts, X, y, sample_weight, **more):
        inputs = self._check(X, y, sample_weight, parts=parts, **more)
        # Of the parameters, for best_estimator_: those who train and validate have other weights, and are more.
        self._scales = {False: self._scale, True: scale_of(inputs, (1, 2))}
        return inputs

    def _check_set_aside(self):
        pass  # none is there

    def _keep_chosen(self):
        self.C_ = float(self.Cs_[self.chosen_])

    def _chosen_penalty(self, split, refitted):
        return {"C": self._scale / split["refit"]["lambda"] if refitted else self.C_}

    def _best(self, result, split, refitted):
        of_train, self._scale = self._scale, self._scales[refitted]
        try:
            return super()._best(result, split, refitted)
        finally:
            self._scale = of_train

    def decision_function(self, X, *, covariates=None, offset=None):
        """n_samples x n_Cs log-odds of classes_[1], of several paths a list of these. covariates, offset: as in the fit, of
        these samples."""
        return self._links(X, covariates, offset)

    def predict(self, X, *, covariates=None, offset=None):
        """n_samples x n_Cs classes, of several paths a list of these."""
        if hasattr(self, "estimators_"):
            return [one.predict(X, covariates=covariates, offset=offset) for one in self.estimators_]
        return named_classes(self, self.decision_function(X, covariates=covariates, offset=offset))

    def predict_proba(self, X, *, covariates=None, offset=None):
        """n_samples x 2 x n_Cs: the probability of each class at each C; of several paths a list of these."""
        links = self._links(X, covariates, offset)
        return [_probabilities(one) for one in links] if isinstance(links, list) else _probabilities(links)

    def _penalty_axis(self):
        return "C", self.Cs_


def _probabilities(links):
    second = expit(links)
    return np.stack([1 - second, second], axis=1)
