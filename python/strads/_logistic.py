"""Two classes: logistic regression with the l1 norm or the elastic net."""

import numpy as np
from scipy.special import expit
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from ._base import StradsEstimator, on_off, seed_of, threads_of
from ._data import is_on_disk, make_data
from ._linear import CurveMixin, folds_of


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

    def _check(self, x, y, sample_weight):
        """X, y as 0 and 1, weights; sets classes_."""
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
        weights = self._check_weights(sample_weight, x, y)
        self.classes_, coded = np.unique(y, return_inverse=True)
        used = coded if weights is None else coded[weights > 0]
        if len(np.unique(used)) < 2:
            raise ValueError("y has samples of one class only, expected two classes")
        return x, coded.astype(np.float64), weights

    def _weight_scale(self, y, weights):
        """What the commands make of weights: their mean is 1. The sum of the loss has to be that of scikit-learn."""
        return 1.0 if weights is None else np.count_nonzero(weights) / float(np.sum(weights))

    def _keep_solution(self, result, solution, model, scale):
        self.coef_ = self._dense(solution)[np.newaxis, :]
        self.intercept_ = np.array([solution["intercept"]])
        self.dual_gap_ = solution["gap"] / scale
        self.relative_gap_ = solution["relative_gap"]
        self.beta_hash_ = solution["beta_hash"]
        self._model = model

    def decision_function(self, X):
        """Log-odds of classes_[1]: n_samples numbers."""
        return self._linear_part(X).ravel()

    def predict(self, X):
        """A class for each sample."""
        check_is_fitted(self)
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def predict_proba(self, X):
        """n_samples x 2: the probability of each class."""
        check_is_fitted(self)
        second = expit(self.decision_function(X))
        return np.stack([1 - second, second], axis=1)

    def predict_log_proba(self, X):
        """The logarithms of predict_proba()."""
        return np.log(self.predict_proba(X))

    def _more_tags(self):
        return {"binary_only": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class LogisticRegression(_Logistic):
    """minimizes C sum_i log(1 + exp(-y_i (x_i'b + b0))) + l1_ratio ||b||_1 + (1 - l1_ratio) / 2 ||b||_2^2."""

    def __init__(self, C=1.0, *, l1_ratio=1.0, fit_intercept=True, tol=None, max_iter=None, n_jobs=None,
                 random_state=None, callback=None, options=None):
        self.C = C
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.options = options

    def fit(self, X, y=None, sample_weight=None):
        """Fits the model. y: one of two classes for each sample; X and sample_weight as Lasso.fit()."""
        x, coded, weights = self._check(X, y, sample_weight)
        scale = self._weight_scale(coded, weights)
        data = make_data(x, coded, weights=weights)
        result = self._call("fit", x, {**self._problem(), "lambda": scale / self.C}, data)
        self._keep_outcome(result)
        self._keep_solution(result, result["solution"], result["model"], scale)
        return self._end(result)


class LogisticRegressionCV(CurveMixin, _Logistic):
    """The same with C chosen by cross-validation, by the error `scoring`: "deviance", "class" (misclassified), "auc",
    "mse" or "mae". A fold has the same penalty per sample as all samples: C times N over its samples.

    After fit: C_ (of `choice`), C_min_, C_1se_, Cs_ (descending penalty), scores_ (n_Cs x n_folds, errors), mean_error_,
    measure_, coef_, intercept_.
    """

    def __init__(self, *, Cs=100, eps=1e-3, l1_ratio=1.0, cv=None, scoring="deviance", choice="min",
                 fit_intercept=True, tol=None, max_iter=None, n_jobs=None, random_state=None, callback=None,
                 options=None):
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
        self.options = options

    def fit(self, X, y=None, sample_weight=None):
        """Chooses C and keeps the solution on all samples. Arguments as LogisticRegression.fit()."""
        x, coded, weights = self._check(X, y, sample_weight)
        scale = self._weight_scale(coded, weights)
        used = len(coded) if weights is None else np.count_nonzero(weights)
        dealt, folds = {}, None
        if not (self.options and "folds" in self.options):
            if is_on_disk(x):
                dealt = {"folds": self.cv}
            else:
                folds = folds_of(self.cv, coded, True)
        given = [] if np.isscalar(self.Cs) else [scale / (float(C) * used) for C in self.Cs]
        grid = {"lambdas": int(self.Cs), "lambda_min_ratio": self.eps} if np.isscalar(self.Cs) else {}
        options = {**self._problem(), **grid, **dealt, "lambda_scale": "sample", "early_end": "off",
                   "measure": self.scoring}
        result = self._call("cv", x, options, make_data(x, coded, weights=weights, folds=folds), given)
        self._keep_outcome(result)
        if not len(result["mean"]):
            return self._end(result)
        self.Cs_ = np.array([scale / one["lambda"] for one in result["path"]])
        self.scores_ = np.array(result["fold_errors"]).T
        self.mean_error_ = result["mean"]
        self.standard_error_ = result["standard_error"]
        chosen = result["simplest" if self.choice == "1se" else "least"]
        self.C_ = np.array([self.Cs_[chosen]])
        self.C_min_, self.C_1se_ = float(self.Cs_[result["least"]]), float(self.Cs_[result["simplest"]])
        self.measure_ = result["measure"]
        self._keep_solution(result, result["path"][chosen], result["models"][chosen], scale)
        return self._end(result)

    def _error_curve(self):
        return "C", self.Cs_, self.mean_error_, self.C_min_, self.C_1se_
