"""What parameters may be: one table for all estimators, made of scikit-learn's own constraints and looked at by fit()."""

from collections.abc import Mapping
from inspect import signature
from numbers import Integral, Real

import numpy as np
from sklearn.metrics import get_scorer_names
from sklearn.utils._param_validation import (Hidden, Interval, InvalidParameterError, StrOptions, make_constraint,
                                             validate_parameter_constraints)

from . import _strads
from ._cluster import Cluster
from ._errors import UsageError

REGRESSION_MEASURES = ("mse", "mae")
SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")  # scikit-learn's
CLASS_MEASURES = ("deviance", "class", "auc", "mse", "mae")
COUNT_MEASURES = ("deviance", "mse", "mae")


class _Choice(StrOptions):
    """In the order given: a message is the same in every process."""

    def __init__(self, *names):
        super().__init__(set(names))
        self._names = names

    def __str__(self):
        return f"a str among {{{', '.join(repr(name) for name in self._names)}}}"


class _Scoring(_Choice):
    """One of our measures, or the name of a scorer of scikit-learn."""

    def is_satisfied_by(self, val):
        return isinstance(val, str) and (val in self.options or val in get_scorer_names())

    def __str__(self):
        return super().__str__() + ", the name of a scorer of scikit-learn (sklearn.metrics.get_scorer_names())"


def _choices_of(facts, name):
    return next(option["choices"] for option in facts if option["name"] == name)


_ALPHAS = "finite numbers of at least 0 in one dimension, at least one"
_ALPHAS_OF_COUNTS = "finite numbers above 0 in one dimension, at least one"
_CS = "numbers above 0 in one dimension, at least one (inf: no penalty)"
_SHRINKS = "numbers above 0, at most 1, in one dimension, at least one"
_RATIOS = "numbers from 0 to 1 in one dimension, at least one"
_BOOLEAN = [bool, np.bool_]
_CONSTRAINTS = {
    "alpha": [Interval(Real, 0, np.inf, closed="left")],
    "C": [Interval(Real, 0, np.inf, closed="right")],
    "l1_ratio": [Interval(Real, 0, 1, closed="both")],
    "fit_intercept": _BOOLEAN,
    "scale": _BOOLEAN,
    "positive": _BOOLEAN,
    "early_end": _BOOLEAN,
    "tol": [Interval(Real, 0, np.inf, closed="left"), None],
    "max_iter": [Interval(Integral, 1, None, closed="left"), None],
    "n_jobs": [Interval(Integral, None, -1, closed="right"), Interval(Integral, 1, None, closed="left"), None],
    "random_state": [Interval(Integral, 0, 2**64 - 1, closed="both"), np.random.RandomState, np.random.Generator, None],
    "callback": [callable, None],
    "cluster": [Cluster, None],
    "options": [Mapping, None],
    "eps": [Interval(Real, 0, 1, closed="neither"), None],
    "n_alphas": [Interval(Integral, 1, None, closed="left")],
    "alphas": ["array-like", None],
    "Cs": [Interval(Integral, 1, None, closed="left"), "array-like"],
    "cv": ["cv_object", Hidden(str)],  # a string: the file of folds of data on disk
    "choice": [_Choice("min", "1se")],
    "scoring": [_Scoring(*CLASS_MEASURES), callable],
    "precompute": [StrOptions({"auto"}), "array-like", bool, np.bool_],
    "copy_X": _BOOLEAN,
    "warm_start": _BOOLEAN,
    "selection": [_Choice("cyclic", "random")],
    "verbose": [Interval(Integral, 0, None, closed="left"), bool, np.bool_],
    "penalty": [_Choice("l1", "l2", "elasticnet"), None],
    "dual": _BOOLEAN,
    "intercept_scaling": [Interval(Real, 0, None, closed="neither")],
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "multi_class": [_Choice("auto", "ovr", "multinomial")],
    "refit": _BOOLEAN,
    "n_components": [Interval(Integral, 1, None, closed="left"), None],
    "doc_topic_prior": [Interval(Real, 0, np.inf, closed="neither"), None],
    "topic_word_prior": [Interval(Real, 0, np.inf, closed="neither"), None],
    "solver": [_Choice(*(one for one in _choices_of(_strads.options_of_factorization(), "solver")
                         if one not in ("cg", "slim"))), None],
    "alpha0": [Interval(Real, 0, 1e6, closed="right"), None],
    "nu": [Interval(Real, 0, 4, closed="both"), None],
    "confidence": [_Choice("ones", "linear", "log"), None],
    "positive_from": [Interval(Real, -1e300, 1e300, closed="both"), None],
    "bias": _BOOLEAN,
    "early_stopping": _BOOLEAN,
    "l1": [Interval(Real, 0, np.inf, closed="left"), None],
    "l2": [Interval(Real, 0, np.inf, closed="neither"), None],
    "user_power": [Interval(Real, -4, 4, closed="both"), None],
    "item_power": [Interval(Real, -4, 4, closed="both"), None],
    "loss": [_Choice("hinge", "squared_hinge")],
    "shrinks": [Interval(Real, 0, 1, closed="right"), "array-like"],
}
# Where a class differs.
_OF_CLASS = {
    ("LassoPath", "l1_ratio"): [*_CONSTRAINTS["l1_ratio"], "array-like"],
    ("PoissonLassoPath", "l1_ratio"): [*_CONSTRAINTS["l1_ratio"], "array-like"],
    ("LogisticRegressionPath", "l1_ratio"): [*_CONSTRAINTS["l1_ratio"], "array-like"],
    ("ElasticNetCV", "l1_ratio"): [*_CONSTRAINTS["l1_ratio"], "array-like"],
    ("LogisticRegressionCV", "l1_ratio"): [*_CONSTRAINTS["l1_ratio"], "array-like"],
    ("LogisticRegression", "solver"): [_Choice(*SOLVERS), None],
    ("LogisticRegressionCV", "penalty"): [_Choice("l1", "l2", "elasticnet")],
    ("LogisticRegressionCV", "solver"): [_Choice(*SOLVERS), None],
    ("LassoCV", "scoring"): [_Scoring(*REGRESSION_MEASURES), callable],
    ("ElasticNetCV", "scoring"): [_Scoring(*REGRESSION_MEASURES), callable],
    # No penalty at all is another class of scikit-learn.
    ("PoissonLasso", "alpha"): [Interval(Real, 0, np.inf, closed="neither")],
    ("PoissonLassoCV", "l1_ratio"): [*_CONSTRAINTS["l1_ratio"], "array-like"],
    ("PoissonLassoCV", "scoring"): [_Scoring(*COUNT_MEASURES), callable],
    ("LatentDirichletAllocation", "n_components"): [Interval(Integral, 1, None, closed="left")],
    ("LinearSVC", "C"): [Interval(Real, 0, np.inf, closed="neither")],
    ("LinearSVC", "penalty"): [_Choice("l2")],
    ("LinearSVC", "dual"): [*_BOOLEAN, _Choice("auto")],
    ("LinearSVC", "multi_class"): [_Choice("ovr")],
    ("MatrixFactorization", "alpha"): [*_CONSTRAINTS["alpha"], None],
    ("ImplicitFactorization", "alpha"): [*_CONSTRAINTS["alpha"], None],
    ("ImplicitFactorization", "solver"): [_Choice("als", "cd", "cg"), None],
}
# What is in a list: parameter -> (text, test of all).
_LISTS = {
    "alphas": (_ALPHAS, lambda values: (values >= 0) & np.isfinite(values)),
    "Cs": (_CS, lambda values: values > 0),
    "shrinks": (_SHRINKS, lambda values: (values > 0) & (values <= 1)),
    "l1_ratio": (_RATIOS, lambda values: (values >= 0) & (values <= 1)),
}
_LISTS_OF_CLASS = {
    (name, "alphas"): (_ALPHAS_OF_COUNTS, lambda values: (values > 0) & np.isfinite(values))
    for name in ("PoissonLassoPath", "PoissonLassoCV", "SummaryLasso")
}


class ParameterError(UsageError, InvalidParameterError):
    """A UsageError that scikit-learn knows as its own."""


def _is_array(value):
    return not isinstance(value, str) and np.ndim(value) > 0


class Checked:
    """An estimator whose parameters are looked at: of the base classes it stands first."""

    def __init_subclass__(cls, **more):
        super().__init_subclass__(**more)
        if "__init__" in vars(cls):
            # The name and the form are scikit-learn's, whose checks of estimators read it.
            cls._parameter_constraints = {
                name: _OF_CLASS.get((cls.__name__, name), _CONSTRAINTS.get(name, "no_validation"))
                for name in list(signature(cls.__init__).parameters)[1:]}

    def _check_parameters(self):
        """ParameterError: which one, what it may be, what was found."""
        given = self.get_params(deep=False)
        name = type(self).__name__
        for parameter, value in given.items():
            constraints = self._parameter_constraints.get(parameter, "no_validation")
            if constraints == "no_validation":
                continue
            if isinstance(value, (bool, np.bool_)) and bool not in constraints:  # Python takes True for 1
                kinds = " or ".join(str(one) for one in map(make_constraint, constraints) if not one.hidden)
                raise ParameterError(f"The {parameter!r} parameter of {name} must be {kinds}. Got {value!r} instead.")
            try:
                validate_parameter_constraints({parameter: constraints}, {parameter: value}, caller_name=name)
            except ValueError as error:
                raise ParameterError(str(error)) from None
            if parameter in _LISTS and _is_array(value):
                self._check_list(parameter, value)

    def _check_list(self, parameter, value):
        text, is_right = _LISTS_OF_CLASS.get((type(self).__name__, parameter), _LISTS[parameter])
        try:
            numbers = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            numbers = np.zeros(0)
        if numbers.ndim != 1 or not numbers.size or np.asarray(value).dtype.kind not in "iuf" or not is_right(numbers).all():
            wrong = np.flatnonzero(~is_right(numbers)) if numbers.ndim == 1 else []
            text += f", but {parameter}[{wrong[0]}] == {value[wrong[0]]}" if len(wrong) else ""
            raise ParameterError(f"The {parameter!r} parameter of {type(self).__name__} must be {text}. Got {value!r} instead.")
