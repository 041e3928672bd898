"""lasso_path and enet_path: the functions of scikit-learn by these names, of LassoPath."""

import numpy as np
from sklearn.utils.validation import check_array

from ._data import is_on_disk
from ._errors import UsageError
from ._lasso_path import LassoPath
from ._set_aside import check_gram, check_quiet

# What scikit-learn's functions take besides; none of it changes the path.
_MORE = ("selection", "tol", "max_iter", "random_state", "n_jobs", "callback", "cluster", "options")


def enet_path(X, y, *, l1_ratio=0.5, eps=1e-3, n_alphas=100, alphas=None, precompute="auto", Xy=None, copy_X=True,
              coef_init=None, verbose=False, return_n_iter=False, positive=False, check_input=True, **params):
    """The elastic net at many alphas, without an intercept, as sklearn.linear_model.enet_path: center X and y before.

    Returns alphas (from the largest down), coefs (n_features x n_alphas) and dual_gaps, which bound how far the objective
    of each is from its optimum. `params`: tol, max_iter, random_state, n_jobs, callback, cluster and options, as of
    LassoPath, which does the same with intercepts and predictions; selection, precompute, copy_X and check_input are
    looked at and change nothing.

    >>> import numpy as np, strads
    >>> X, y = np.asfortranarray(np.eye(3)), np.array([3.0, 2.0, 0.0])
    >>> alphas, coefs, gaps = strads.enet_path(X, y, l1_ratio=1.0, alphas=[0.5, 1.0])
    >>> alphas, coefs.round(6)
    (array([1. , 0.5]), array([[0. , 1.5],
           [0. , 0.5],
           [0. , 0. ]]))
    """
    unknown = sorted(set(params) - set(_MORE))
    if unknown:
        raise UsageError(f"Unexpected parameters in params: {', '.join(unknown)}; expected some of {', '.join(_MORE)}")
    selection = params.pop("selection", "cyclic")
    if selection not in ("cyclic", "random"):
        raise UsageError(f"selection: found {selection!r}, expected 'cyclic' or 'random'")
    for name, value in (("Xy", Xy), ("coef_init", coef_init)):
        if value is not None:
            raise UsageError(f"{name}: found a value, expected None: it is computed here")
    if return_n_iter:
        raise UsageError("return_n_iter: found True, expected False: iterations of all alphas are counted together, as "
                         "n_iter_ of LassoPath")
    if np.ndim(l1_ratio) > 0:
        raise UsageError(f"l1_ratio: found {l1_ratio!r}, expected a number from 0 to 1; LassoPath takes several")
    check_quiet(verbose)
    if not is_on_disk(X):
        X = check_array(X, accept_sparse=True, dtype=None)
        if np.ndim(y) > 1 and np.shape(y)[1] > 1:
            raise ValueError(f"y: found {np.shape(y)[1]} responses, expected one; give one column of y at a time")
        check_gram(precompute, X, None, False)
    path = LassoPath(l1_ratio=l1_ratio, eps=eps, n_alphas=n_alphas, alphas=alphas, early_end=False, fit_intercept=False,
                     positive=positive, **params).fit(X, y)
    return path.alphas_, path.coefs_, path.dual_gaps_


def lasso_path(X, y, *, eps=1e-3, n_alphas=100, alphas=None, precompute="auto", Xy=None, copy_X=True, coef_init=None,
               verbose=False, return_n_iter=False, positive=False, **params):
    """The Lasso at many alphas, without an intercept, as sklearn.linear_model.lasso_path: enet_path with l1_ratio=1."""
    return enet_path(X, y, l1_ratio=1.0, eps=eps, n_alphas=n_alphas, alphas=alphas, precompute=precompute, Xy=Xy,
                     copy_X=copy_X, coef_init=coef_init, verbose=verbose, return_n_iter=return_n_iter, positive=positive,
                     **params)
