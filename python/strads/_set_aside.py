"""Parameters of scikit-learn's constructors that say how to compute and not what: they are looked at, so that a script
which has them runs, and change no result here. What would change a result and is not there is refused."""

import warnings

import numpy as np
import scipy.sparse

from ._data import is_on_disk
from ._errors import UsageError


def _is_flag(value):
    return isinstance(value, (bool, np.bool_))


def check_quiet(verbose):
    """What a fit prints is the caller's, who hears of it by `callback`."""
    if verbose != 0:
        raise UsageError(f"verbose: found {verbose!r}, expected 0; callback=strads.progress_bar() shows how a fit goes on")


def check_gram(precompute, x, weights, fit_intercept):
    """precompute: X'X of the columns as they are used, if it is a matrix. Nothing is taken from it; what is not X'X is
    refused all the same, since who gives it is mistaken in X. One element is computed, as scikit-learn does."""
    if not hasattr(precompute, "__array__") or _is_flag(precompute):
        return
    gram = np.asarray(precompute)
    if is_on_disk(x):
        raise UsageError("precompute: found a matrix, expected True, False or 'auto' with data on disk")
    columns = x.shape[1]
    if gram.shape != (columns, columns):
        raise UsageError(f"precompute: found a matrix of shape {gram.shape}, expected n_features x n_features, "
                         f"{(columns, columns)}")
    if scipy.sparse.issparse(x):
        return  # scikit-learn does not look at it either
    w = np.ones(x.shape[0]) if weights is None else weights * (np.count_nonzero(weights) / np.sum(weights))
    means = (w @ x) / w.sum()
    if fit_intercept and not np.allclose(means, 0):
        warnings.warn("Gram matrix was provided but X was centered to fit intercept, or X was normalized : recomputing "
                      "Gram matrix.", UserWarning, stacklevel=5)
        return
    first = columns // 2
    second = min(first + 1, columns - 1)
    centers = means if fit_intercept else np.zeros(columns)
    expected = float(np.sum(w * (x[:, first] - centers[first]) * (x[:, second] - centers[second])))
    single = np.float32 in (gram.dtype, x.dtype)
    if not np.isclose(expected, gram[first, second], rtol=1e-4 if single else 1e-7, atol=1e-5):
        raise UsageError("Gram matrix passed in via 'precompute' did not pass validation: element "
                         f"({first}, {second}) is {gram[first, second]}, expected {expected}, of X as it is fitted "
                         "(centered with fit_intercept, rows times the root of their weights)")


def check_solver(estimator):
    """Every solver is asked for the same optimum, but for liblinear's, which has a penalty of the intercept, and
    intercept_scaling to weaken it."""
    if estimator.solver == "liblinear" and estimator.fit_intercept:
        warnings.warn("solver='liblinear' of scikit-learn has a penalty of the intercept; here the intercept has none",
                      UserWarning, stacklevel=5)
    if estimator.multi_class == "multinomial":
        raise UsageError("multi_class: found 'multinomial', whose penalty counts the coefficients of both classes; "
                         "expected 'auto' or 'ovr'. Of two classes its probabilities are those of C=2*C (penalty='l2') or "
                         "of the same C (penalty='l1') here, its coef_ half of these")
    if getattr(estimator, "refit", True) is not True:
        raise UsageError(f"refit: found {estimator.refit!r}, expected True: coef_ is the fit of all samples; the folds' "
                         "errors are in scores_")


def check_penalty(estimator):
    """penalty, and what is said twice or in vain beside it."""
    penalty, ratio = estimator.penalty, estimator.l1_ratio
    if penalty is None and estimator.C != 1.0:
        warnings.warn("Setting penalty=None will ignore the C and l1_ratio parameters", UserWarning, stacklevel=5)
    elif penalty in ("l1", "l2") and ratio is not None and not (
            np.isscalar(ratio) and ratio in (1.0, l1_ratio_of(estimator))):
        warnings.warn("l1_ratio parameter is only used when penalty is 'elasticnet'. "
                      f"Got (penalty={penalty})", UserWarning, stacklevel=5)


def l1_ratio_of(estimator):
    """The share of the l1 norm that `penalty` and `l1_ratio` say together: a number, or several."""
    return {"l1": 1.0, "l2": 0.0, None: 1.0}.get(estimator.penalty, estimator.l1_ratio)
