"""Two classes: logistic regression with the l1 norm or the elastic net."""

import numpy as np
import scipy.sparse
from scipy.special import expit
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from ._base import StradsEstimator, on_off, seed_of, threads_of
from ._covariates import WithCovariates
from ._cv import scorer_of
from ._data import Inputs, is_on_disk
from ._errors import InputError, UsageError
from ._fitting import CvMixin, FitMixin
from ._set_aside import check_penalty, check_quiet, check_solver, l1_ratio_of
from ._several import columns_of_each, columns_of_responses, fit_each
from ._unpenalised import announce_no_penalty, logistic_regression, with_unpenalised


def _taking_part(inputs, parts=(1,)):
    """Of samples: with a class, a weight above 0, all covariates and an offset, and of a split those of these parts, who
    train unless said otherwise; on disk those that the options of X keep."""
    rows = ~np.isnan(inputs.y)
    if inputs.on_disk:
        left_out = inputs.x._left_out()
        rows[left_out[left_out < len(rows)]] = False
    if inputs.split is not None and len(inputs.split) == len(rows):
        rows &= np.isin(inputs.split, parts)
    for values in (*(values for _, values in inputs.covariates), inputs.offset):
        if values is not None and len(values) == len(rows):
            rows &= ~np.isnan(values)
    return rows if inputs.weights is None else rows & (inputs.weights > 0)


def scale_of(inputs, parts=(1,)):
    """What the commands make of weights: their mean is 1. The sum of the loss has to be that of scikit-learn."""
    return 1.0 if inputs.weights is None else 1.0 / float(np.mean(inputs.weights[_taking_part(inputs, parts)]))


def named_classes(estimator, links):
    """The class of each of these log-odds, rows x anything."""
    unknown = np.argwhere(np.isnan(links))
    if unknown.size:
        raise InputError(f"X: row {unknown[0, 0]} takes no part, for example since a covariate of it is missing, and has no "
                         "class; decision_function() and predict_proba() have NaN there")
    return estimator.classes_[(links > 0).astype(int)]


class Logistic(StradsEstimator):
    """From parameters to the options of --family binomial. The loss is that of scikit-learn,
    C sum_i w_i log(1 + exp(-y_i (x_i'b + b0))) + ||b||_1, without a penalty of b0, so that lambda is 1 / C."""

    _family = "binomial"

    def _problem(self):
        on = on_off(self.fit_intercept)
        return {
            "family": "binomial",
            "center": on,
            "intercept": on,
            "scale": "off",
            "l1_ratio": self._ratio(),
            "tolerance": self.tol,
            "max_rounds": self.max_iter,
            "threads": threads_of(self.n_jobs),
            "seed": seed_of(self.random_state),
        }

    def _ratio(self):
        return l1_ratio_of(self)

    def fit(self, X, y=None, sample_weight=None, *, covariates=None, penalty_factors=None, offset=None):
        """As Lasso.fit(); y: one of two classes for each sample, of several responses in columns. offset: n_samples numbers that
        are added to the log-odds."""
        return self._fit(X, y, sample_weight, covariates=covariates, penalty_factors=penalty_factors, offset=offset)

    def _fit(self, X, y, sample_weight, **more):
        """Several responses one by one: each has classes, and weights of its classes, of its own."""
        columns = columns_of_responses(y)
        if columns is None:
            return super()._fit(X, y, sample_weight, **more)
        before = getattr(self, "estimators_", [])
        starts = [getattr(one, "_model", None) for one in before] if len(before) == len(columns) else [None] * len(columns)
        self._begin(X, more.get("covariates"), more.get("offset"))
        if hasattr(getattr(self, "cv", None), "__next__"):
            raise UsageError("cv: found an iterator, which one response uses up; give a list of the splits, for several responses")

        def fit(one, k):
            one._model = starts[k]
            one._fit(X, columns[k][1], sample_weight, **more)

        fit_each(self, [name for name, _ in columns], fit)
        return self._keep_of_all()

    def _keep_of_all(self):
        """What is told of several responses together."""
        self.classes_ = [one.classes_ for one in self.estimators_]
        self.n_iter_ = np.concatenate([one.n_iter_ for one in self.estimators_])
        if hasattr(self.estimators_[0], "feature_names_in_"):
            self.feature_names_in_ = self.estimators_[0].feature_names_in_
        return self

    def _check(self, x, y, sample_weight, *, parts=None, **more):
        """What was given, checked; y as 0 and 1. Sets classes_. parts: of a split, of parts_of()."""
        self._check_set_aside()
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        x = self._check_x(x, reset=True)
        y = column_or_1d(y, warn=True)
        # Of samples on disk a class may be missing: they take no part.
        missing = np.isnan(y) if is_on_disk(x) and y.dtype.kind == "f" else np.zeros(len(y), dtype=bool)
        known = y[~missing]
        check_classification_targets(known)
        kind = type_of_target(known)
        if kind == "multiclass":
            raise ValueError("Only binary classification is supported. The type of the target is multiclass.")
        if not is_on_disk(x):
            check_consistent_length(x, y)
        weights = self._check_weights(sample_weight, x)
        Inputs(x).set_split(parts)
        self.classes_, codes = np.unique(known, return_inverse=True)
        coded = np.full(len(y), np.nan)
        coded[~missing] = codes
        if self.class_weight is not None:  # times those of the samples, as in scikit-learn
            of_class = np.zeros(len(y))
            counted = known if parts is None else known[parts[~missing] == 1]  # 'balanced': of those who train
            of_class[~missing] = compute_class_weight(self.class_weight, classes=self.classes_, y=counted)[codes]
            weights = of_class if weights is None else weights * of_class
        used = codes if weights is None else codes[weights[~missing] > 0]
        if len(np.unique(used)) < 2:
            raise ValueError("y has samples of one class only, expected two classes")
        inputs = Inputs(x, coded, weights=weights, **more)
        inputs.set_split(parts)
        self._scale = scale_of(inputs)
        return inputs

    def _check_set_aside(self):
        check_quiet(self.verbose)
        check_solver(self)
        check_penalty(self)

    def _lambda_scale(self):
        return "sample"

    def _asked(self):
        return "no penalty" if self.penalty is None else f"C={float(self.C):g}"

    def _named(self, _, solution):
        return f"C={self._scale / solution['lambda']:.4g}" if solution["lambda"] > 0 else "C=inf"

    def _given_penalty(self, result, solution):
        return solution["lambda"] / result["samples"]

    def _projects(self, _):
        return False  # the solver has what has no penalty with and without an intercept

    def _without_penalty(self, inputs):
        if self.penalty is not None and not np.isinf(self.C):
            return None
        announce_no_penalty(self)
        return logistic_regression(self, inputs, self._problem())

    def _call(self, command, inputs, options, lambdas=(), start=None):
        call = super()._call
        if 0.0 not in lambdas:
            return call(command, inputs, options, lambdas, start)
        return with_unpenalised(lambda: logistic_regression(self, inputs, self._problem()),
                                lambda above: call(command, inputs, options, above), lambdas)

    def _is_constant(self, _):
        return False  # two classes are there

    def _keep_outcome(self, result, in_memory=True):
        super()._keep_outcome(result, in_memory)
        self.n_iter_ = np.array([self.n_iter_], dtype=np.int32)  # as scikit-learn has it: one number a class

    def _penalty(self, _):
        return self._scale / self.C

    def _keep_solution(self, _, solution, model):
        self.coef_ = self._dense(solution)[np.newaxis, :]
        self.intercept_ = np.array([solution["intercept"]], dtype=self._precision())
        self.dual_gap_ = solution["gap"] / self._scale
        self.relative_gap_ = solution["relative_gap"]
        self.beta_hash_ = solution["beta_hash"]
        self._model = model
        self._keep_covariates([model], [solution])


class _PredictsClasses(ClassifierMixin):
    def sparsify(self):
        """coef_ as scipy CSR, which is smaller where most coefficients are 0; predictions stay the same."""
        check_is_fitted(self)
        self.coef_ = scipy.sparse.csr_matrix(self.coef_)
        return self

    def densify(self):
        """coef_ as a numpy array again."""
        check_is_fitted(self)
        if scipy.sparse.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self

    def decision_function(self, X, *, covariates=None, offset=None):
        """Log-odds of classes_[1]: n_samples numbers, of several responses n_samples x n_responses. covariates, offset: as in
        the fit, of these samples."""
        if hasattr(self, "estimators_"):
            return np.stack([one.decision_function(X, covariates=covariates, offset=offset) for one in self.estimators_], axis=1)
        return self._linear_part(X, covariates, offset)

    def predict(self, X, *, covariates=None, offset=None):
        """A class for each sample, of several responses n_samples x n_responses."""
        check_is_fitted(self)
        if hasattr(self, "estimators_"):
            return np.stack([one.predict(X, covariates=covariates, offset=offset) for one in self.estimators_], axis=1)
        return named_classes(self, self.decision_function(X, covariates=covariates, offset=offset))

    def predict_proba(self, X, *, covariates=None, offset=None):
        """n_samples x 2: the probability of each class; of several responses a list of these, as scikit-learn has it."""
        check_is_fitted(self)
        if hasattr(self, "estimators_"):
            return [one.predict_proba(X, covariates=covariates, offset=offset) for one in self.estimators_]
        second = expit(self.decision_function(X, covariates=covariates, offset=offset))
        return np.stack([1 - second, second], axis=1)

    def predict_log_proba(self, X, *, covariates=None, offset=None):
        """The logarithms of predict_proba()."""
        probabilities = self.predict_proba(X, covariates=covariates, offset=offset)
        return [np.log(one) for one in probabilities] if isinstance(probabilities, list) else np.log(probabilities)

    def score(self, X, y, sample_weight=None, *, covariates=None, offset=None):
        """The share of samples whose class predict() tells right; of several responses its mean over them."""
        if hasattr(self, "estimators_"):
            return self._mean_score(X, y, sample_weight, covariates, offset)
        predicted = self.predict(X, covariates=covariates, offset=offset)
        return accuracy_score(y, predicted, sample_weight=sample_weight)

    def _mean_score(self, X, y, sample_weight, covariates, offset):
        each = zip(self.estimators_, columns_of_each(y, len(self.estimators_)))
        return float(np.mean([one.score(X, column, sample_weight, covariates=covariates, offset=offset) for one, column in each]))

    def _more_tags(self):
        return {"binary_only": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class LogisticRegression(_PredictsClasses, Logistic, FitMixin):
    """minimizes C sum_i log(1 + exp(-y_i (x_i'b + b0))) + l1_ratio ||b||_1 + (1 - l1_ratio) / 2 ||b||_2^2."""

    def __init__(self, C=1.0, *, penalty="elasticnet", l1_ratio=1.0, dual=False, tol=None, fit_intercept=True,
                 intercept_scaling=1, class_weight=None, random_state=None, solver=None, max_iter=None,
                 multi_class="auto", verbose=0, warm_start=False, n_jobs=None, callback=None, cluster=None, options=None):
        self.C = C
        self.penalty = penalty
        self.dual = dual
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.solver = solver
        self.multi_class = multi_class
        self.verbose = verbose
        self.warm_start = warm_start
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.cluster = cluster
        self.options = options


class CsGrid:
    """A path over Cs: of a cross-validation, and by itself. Stands before Logistic."""

    def _grid(self, inputs):
        if np.isinf(self.Cs).any():
            announce_no_penalty(self)
        options = {"lambda_scale": self._lambda_scale(), "early_end": on_off(getattr(self, "early_end", False))}
        if np.isscalar(self.Cs):
            return {**options, "lambdas": int(self.Cs), "lambda_min_ratio": self.eps}, []
        used = np.count_nonzero(_taking_part(inputs))
        return options, [self._scale / (float(C) * used) for C in self.Cs]

    def _keep_penalties(self, result):
        self.Cs_ = self._Cs_of(result)
        self._keep_certificates(result, self._scale)

    def _Cs_of(self, result):
        lambdas = np.array([one["lambda"] for one in result["path"]])
        if np.isscalar(self.Cs):
            return self._scale / lambdas
        given = np.asarray(self.Cs, dtype=np.float64)  # with their own bits
        return given[[int(np.argmin(np.abs(self._scale / given - one))) for one in lambdas]]


class LogisticRegressionCV(_PredictsClasses, CsGrid, Logistic, CvMixin):
    """LogisticRegression with C chosen by cross-validation. coef_ and what goes with it are those of `choice`. A fold has the
    same penalty per sample as all samples: C times N over its samples."""

    _of_one_penalty = LogisticRegression

    def __init__(self, *, Cs=100, eps=None, penalty="elasticnet", l1_ratio=1.0, fit_intercept=True, cv=None, dual=False,
                 scoring="deviance", choice="min", solver=None, tol=None, max_iter=None, class_weight=None, n_jobs=None,
                 verbose=0, refit=True, intercept_scaling=1, multi_class="auto", random_state=None, warm_start=False,
                 callback=None, cluster=None, options=None):
        self.warm_start = warm_start
        self.refit = refit
        self.penalty = penalty
        self.dual = dual
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.solver = solver
        self.multi_class = multi_class
        self.verbose = verbose
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

    def _scoring(self):
        return self.scoring

    def score(self, X, y, sample_weight=None, *, covariates=None, offset=None):
        """What `scoring` says, where it is a scorer of scikit-learn; of the other measures the share of samples whose class
        predict() tells right."""
        scorer = scorer_of(self, self.scoring)
        if hasattr(self, "estimators_"):
            return self._mean_score(X, y, sample_weight, covariates, offset)
        if scorer is None:
            return super().score(X, y, sample_weight, covariates=covariates, offset=offset)
        if covariates is not None or offset is not None:
            X = WithCovariates(X, covariates, offset)
        return scorer(self, X, y, **({} if sample_weight is None else {"sample_weight": sample_weight}))

    def fit(self, X, y=None, sample_weight=None, *, groups=None, covariates=None, penalty_factors=None, offset=None):
        """As LogisticRegression.fit(). groups: n_samples labels for a splitter that goes by groups, as cv=GroupKFold()."""
        return self._fit(X, y, sample_weight, groups=groups, covariates=covariates, penalty_factors=penalty_factors,
                         offset=offset)

    def _keep_path(self, result):
        self._keep_penalties(result)

    def _keep_choice(self, result, chosen):
        self.mean_error_ = result["mean"]
        self.C_ = np.array([self.Cs_[chosen]])
        self.C_min_, self.C_1se_ = float(self.Cs_[result["least"]]), float(self.Cs_[result["simplest"]])
        self._curve = self.Cs_, self.mean_error_

    def _keep_grids(self, results):
        """Of several l1_ratio: one more dimension."""
        self.Cs_ = np.array([self._Cs_of(result) for result in results])
        self.scores_ = np.array([np.array(result["fold_errors"]).T for result in results])

    def _error_curve(self):
        return "C", *self._curve, self.C_min_, self.C_1se_
