"""Two classes: logistic regression with the l1 norm or the elastic net."""

import numpy as np
from scipy.special import expit
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from ._base import StradsEstimator, on_off, seed_of, threads_of
from ._data import Inputs, is_on_disk
from ._fitting import CvMixin, FitMixin


class _Logistic(ClassifierMixin, StradsEstimator):
    """From parameters to the options of --family binomial. The loss is that of scikit-learn,
    C sum_i w_i log(1 + exp(-y_i (x_i'b + b0))) + ||b||_1, without a penalty of b0, so that lambda is 1 / C."""

    def _problem(self):
        on = on_off(self.fit_intercept)
        return {
            "family": "binomial",
            "center": on,
            "intercept": on,
            "scale": "off",
            "l1_ratio": self.l1_ratio,
            "tolerance": self.tol,
            "max_rounds": self.max_iter,
            "threads": threads_of(self.n_jobs),
            "seed": seed_of(self.random_state),
        }

    def fit(self, X, y=None, sample_weight=None, *, covariates=None, penalty_factors=None, offset=None):
        """As Lasso.fit(); y: one of two classes for each sample. offset: n_samples numbers that are added to the log-odds."""
        return self._fit(X, y, sample_weight, covariates=covariates, penalty_factors=penalty_factors, offset=offset)

    def _check(self, x, y, sample_weight, **more):
        """What was given, checked; y as 0 and 1. Sets classes_."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        x = self._check_x(x, reset=True)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        kind = type_of_target(y)
        if kind == "multiclass":
            raise ValueError("Only binary classification is supported. The type of the target is multiclass.")
        if not is_on_disk(x):
            check_consistent_length(x, y)
        weights = self._check_weights(sample_weight, x)
        self.classes_, coded = np.unique(y, return_inverse=True)
        used = coded if weights is None else coded[weights > 0]
        if len(np.unique(used)) < 2:
            raise ValueError("y has samples of one class only, expected two classes")
        # What the commands make of weights: their mean is 1. The sum of the loss has to be that of scikit-learn.
        self._scale = 1.0 if weights is None else np.count_nonzero(weights) / float(np.sum(weights))
        return Inputs(x, coded, weights=weights, **more)

    def _is_constant(self, _):
        return False  # two classes are there

    def _penalty(self, _):
        return self._scale / self.C

    def _keep_solution(self, _, solution, model):
        self.coef_ = self._dense(solution)[np.newaxis, :]
        self.intercept_ = np.array([solution["intercept"]])
        self.dual_gap_ = solution["gap"] / self._scale
        self.relative_gap_ = solution["relative_gap"]
        self.beta_hash_ = solution["beta_hash"]
        self._model = model
        self._keep_covariates([model], [solution])

    def decision_function(self, X, *, covariates=None, offset=None):
        """Log-odds of classes_[1]: n_samples numbers. covariates, offset: as in the fit, of these samples."""
        return self._linear_part(X, covariates, offset)

    def predict(self, X, **of_samples):
        """A class for each sample. of_samples: covariates, offset."""
        check_is_fitted(self)
        return self.classes_[(self.decision_function(X, **of_samples) > 0).astype(int)]

    def predict_proba(self, X, **of_samples):
        """n_samples x 2: the probability of each class. of_samples: covariates, offset."""
        check_is_fitted(self)
        second = expit(self.decision_function(X, **of_samples))
        return np.stack([1 - second, second], axis=1)

    def predict_log_proba(self, X, **of_samples):
        """The logarithms of predict_proba()."""
        return np.log(self.predict_proba(X, **of_samples))

    def _more_tags(self):
        return {"binary_only": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class LogisticRegression(_Logistic, FitMixin):
    """minimizes C sum_i log(1 + exp(-y_i (x_i'b + b0))) + l1_ratio ||b||_1 + (1 - l1_ratio) / 2 ||b||_2^2."""

    def __init__(self, C=1.0, *, l1_ratio=1.0, fit_intercept=True, tol=None, max_iter=None, n_jobs=None,
                 random_state=None, callback=None, cluster=None, options=None):
        self.C = C
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.cluster = cluster
        self.options = options


class LogisticRegressionCV(_Logistic, CvMixin):
    """The same with C chosen by cross-validation, by the error `scoring`: "deviance", "class" (misclassified), "auc",
    "mse" or "mae". A fold has the same penalty per sample as all samples: C times N over its samples.

    After fit: C_ (of `choice`), C_min_, C_1se_, Cs_ (descending penalty), scores_ (n_Cs x n_folds, errors), mean_error_,
    measure_, coef_, intercept_.
    """

    def __init__(self, *, Cs=100, eps=None, l1_ratio=1.0, cv=None, scoring="deviance", choice="min",
                 fit_intercept=True, tol=None, max_iter=None, n_jobs=None, random_state=None, callback=None,
                 cluster=None, options=None):
        self.Cs = Cs
        self.eps = eps
        self.l1_ratio = l1_ratio
        self.cv = cv
        self.scoring = scoring
        self.choice = choice
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.cluster = cluster
        self.options = options

    def _grid(self, inputs):
        options = {"lambda_scale": "sample", "early_end": "off", "measure": self.scoring}
        if np.isscalar(self.Cs):
            return {**options, "lambdas": int(self.Cs), "lambda_min_ratio": self.eps}, []
        used = len(inputs.y) if inputs.weights is None else np.count_nonzero(inputs.weights)
        return options, [self._scale / (float(C) * used) for C in self.Cs]

    def _keep_path(self, result):
        self.Cs_ = self._Cs_of(result)
        self.scores_ = np.array(result["fold_errors"]).T

    def _Cs_of(self, result):
        return np.array([self._scale / one["lambda"] for one in result["path"]])

    def _keep_choice(self, result, chosen):
        self.mean_error_ = result["mean"]
        self.C_ = np.array([self.Cs_[chosen]])
        self.C_min_, self.C_1se_ = float(self.Cs_[result["least"]]), float(self.Cs_[result["simplest"]])
        self._curve_Cs = self.Cs_

    def _keep_grids(self, results):
        """Of several l1_ratio: one more dimension."""
        self.Cs_ = np.array([self._Cs_of(result) for result in results])
        self.scores_ = np.array([np.array(result["fold_errors"]).T for result in results])

    def _error_curve(self):
        return "C", self._curve_Cs, self.mean_error_, self.C_min_, self.C_1se_
