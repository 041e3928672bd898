"""Ratings of users and items as mean + biases + products of a few factors."""

import os
import warnings

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _strads
from ._base import on_off, seed_of, threads_of
from ._data import option_list
from ._errors import ConvergenceWarning, InputError, outside
from ._params import Checked
from ._texts import in_python, stop_reason, translated


def _known(values, what, count):
    """Rows or columns of the fit: numpy would take negative ones from the end."""
    values = np.asarray(values)
    if not values.size:
        return values.astype(np.int64)
    if values.dtype.kind not in "iu" or values.min() < 0 or values.max() >= count:
        raise InputError(f"{what}: found {values.min()} to {values.max()} ({values.dtype}), expected whole numbers from 0 to "
                         f"{count - 1}, those of the fit")
    return values


def _lines(values, what):
    values = np.asarray(values)
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise InputError(f"{what}: expected one dimension of whole numbers, the rows or columns of the ratings")
    if values.size and (values.min() < 0 or values.max() >= 2**32 - 2):
        raise InputError(f"{what}: found {values.min()} to {values.max()}, expected numbers from 0 to 2^32 - 3")
    return np.ascontiguousarray(values, dtype=np.uint32)


class MatrixFactorization(Checked, BaseEstimator):
    """Rating of user u and item i ~ mean_ + user_bias_[u] + item_bias_[i] + user_factors_[u] . item_factors_[i], cut to the
    range of the ratings. None is the program's own default."""

    def __init__(self, n_components=None, *, alpha=None, solver=None, bias=True, early_stopping=True, max_iter=None,
                 tol=None, n_jobs=None, random_state=None, callback=None, cluster=None, options=None):
        self.n_components = n_components
        self.alpha = alpha
        self.solver = solver
        self.bias = bias
        self.early_stopping = early_stopping
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.cluster = cluster
        self.options = options

    def fit(self, X, y=None):
        """X: a scipy.sparse matrix whose stored entries are ratings (users are rows), a tuple (users, items, values) of
        arrays, or the path of a file as --ratings takes it. y is not looked at."""
        for name in [one for one in vars(self) if one.endswith("_") and not one.startswith("_")]:
            delattr(self, name)  # nothing is left of an earlier fit
        self._check_parameters()
        shape, more = None, {}
        users = items = np.zeros(0, dtype=np.uint32)
        values = np.zeros(0)
        if isinstance(X, (str, os.PathLike)):
            more = {"ratings": os.fspath(X)}
        else:
            if scipy.sparse.issparse(X):
                shape = X.shape
                X = X.tocoo()
                X = (X.row, X.col, X.data)
            users, items = _lines(X[0], "users"), _lines(X[1], "items")
            values = np.ascontiguousarray(X[2], dtype=np.float64)
            if not len(users):
                raise InputError("ratings: none, expected at least one")
        options = {"rank": self.n_components, "lambda": self.alpha, "solver": self.solver, "bias": on_off(self.bias),
                   "early_stopping": on_off(self.early_stopping), "sweeps": self.max_iter, "tolerance": self.tol,
                   "threads": threads_of(self.n_jobs), "seed": seed_of(self.random_state), **more,
                   **(self.options or {})}
        result = self._call(option_list(options), users, items, values)
        self._keep_side("user", result["users"], shape[0] if shape else None, bool(more))
        self._keep_side("item", result["items"], shape[1] if shape else None, bool(more))
        self.mean_ = float(result["mean"])
        self.range_ = (float(result["lowest"]), float(result["highest"]))
        self.n_iter_ = max(1, int(result["sweeps"]))
        for name in ("objective", "rmse_train", "rmse_validation", "rmse_test", "model_hash", "config"):
            setattr(self, name + "_", result[name])
        self.stop_reason_ = stop_reason(result["stop_reason"])
        self.notes_ = [in_python(note, self, not more) for note in result["notes"]]
        self.converged_ = bool(result["converged"])
        if result["error"] is not None:
            raise result["error"]
        if not result["converged"]:
            warnings.warn(f"MatrixFactorization: ended early ({self.stop_reason_}); the best factors so far are "
                          "kept", ConvergenceWarning, stacklevel=outside())
        return self

    def _call(self, options, users, items, values):
        def run(*given):
            try:
                return _strads.fit_factors(*given)
            except (ValueError, RuntimeError) as error:
                raise translated(error, self, len(users) > 0) from None

        if self.cluster is None:
            return run(options, users, items, values, self.callback, None)
        none, no_values = np.zeros(0, dtype=np.uint32), np.zeros(0)

        def files(store):
            if not len(users):
                return []
            ratings = scipy.sparse.coo_matrix((values, (users, items)))
            return [("ratings", store.write("ratings", ".npz", [users, items, values],
                                            lambda path: scipy.sparse.save_npz(path, ratings, compressed=False)))]

        return self.cluster._run(
            lambda more, nodes: run(options + more, none, none, no_values, self.callback, nodes), files)

    def _keep_side(self, side, facts, size, of_file):
        """Rows by number; those without ratings have zeros. Of a file in the order of its ids."""
        if of_file:
            setattr(self, f"{side}_ids_", np.array(facts["ids"]))
            places, size = np.arange(len(facts["ids"])), len(facts["ids"])
        else:
            places = np.array(facts["ids"], dtype=np.int64)
            size = int(places.max()) + 1 if size is None else size
        factors = np.zeros((size, facts["factors"].shape[1]), dtype=np.float32)
        biases, counts = np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.uint32)
        factors[places], biases[places], counts[places] = facts["factors"], facts["biases"], facts["counts"]
        setattr(self, f"{side}_factors_", factors)
        setattr(self, f"{side}_bias_", biases)
        setattr(self, f"{side}_counts_", counts)

    def predict(self, X):
        """X: a tuple (users, items) of arrays of the same length: rows and columns. A predicted rating for each pair."""
        check_is_fitted(self)
        users, items = _known(X[0], "users", len(self.user_bias_)), _known(X[1], "items", len(self.item_bias_))
        scores = (self.mean_ + self.user_bias_[users] + self.item_bias_[items]
                  + np.einsum("ij,ij->i", self.user_factors_[users], self.item_factors_[items]))
        return np.clip(scores, *self.range_)

    def score(self, X, y=None):
        """Minus the root mean squared error on X, as fit() takes it (no file): the larger the better."""
        if scipy.sparse.issparse(X):
            X = X.tocoo()
            X = (X.row, X.col, X.data)
        return -float(np.sqrt(np.mean((self.predict(X[:2]) - np.asarray(X[2])) ** 2)))

    def recommend(self, user, n=10, exclude=()):
        """(items, scores): the n items with the highest scores, not cut to the range, for one user; without `exclude`."""
        check_is_fitted(self)
        user = int(_known([user], "user", len(self.user_bias_))[0])
        exclude = _known(exclude, "exclude", len(self.item_bias_))
        scores = self.mean_ + self.user_bias_[user] + self.item_bias_ + self.item_factors_ @ self.user_factors_[user]
        scores = np.where(self.item_counts_ > 0, scores, -np.inf)
        scores[np.asarray(exclude, dtype=np.int64)] = -np.inf
        best = np.argsort(-scores, kind="stable")[:n]
        best = best[np.isfinite(scores[best])]
        return best, scores[best]
