"""Ratings of users and items as mean + biases + products of a few factors."""

import os
import warnings
from numbers import Integral

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _strads
from ._base import on_off, seed_of, threads_of
from ._data import option_list
from ._errors import ConvergenceWarning, InputError, UsageError, outside
from ._ids import Side, decoded, encoding_of, ids_of, numbered
from ._model_files import load_model, save_model
from ._params import Checked
from ._ratings import read_pairs, read_ratings
from ._rating_splits import expect_rows_of_ratings, expect_seen, split_of
from ._texts import in_python, stop_reason, translated

# What a fit keeps besides attributes whose names end with "_".
_KEPT = ("_users", "_items", "_orders", "_shape", "_by_number", "_of_file")
_NAMED = 3  # of the ids that nobody knows


class MatrixFactorization(Checked, BaseEstimator):
    """Rating of user u and item i ~ mean_ + user_bias_[u] + item_bias_[i] + user_factors_[u] . item_factors_[i], cut to the
    range of the ratings. Users and items go by their ids: those of a table or file, or the numbers of rows and columns of a
    matrix, from 0. Row k of the users' arrays is user user_ids_[k]. None is the program's own default."""

    # Options of the program that are parameters, as in a config file.
    _file_parameters = {
        "rank": ("n_components", int), "lambda": ("alpha", float), "solver": ("solver", str),
        "bias": ("bias", lambda text: text == "on"), "early-stopping": ("early_stopping", lambda text: text == "on"),
        "sweeps": ("max_iter", int), "tolerance": ("tol", float), "seed": ("random_state", int)}
    _feedback = "explicit"

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
        """Learns factors and biases.

        Parameters
        ----------
        X : one of
            - a tuple (users, items, ratings) of arrays of shape (n_ratings,): ids are whole numbers from 0, or text;
            - a table of ratings: a DataFrame (pandas, Polars) or dict with columns 'user', 'item', 'rating' or other names
              that `mf fit --ratings` knows, an array of shape (n_ratings, 3), a list of (user, item, rating), a pandas.Series
              with users and items as its index;
            - pairs of users and items, (n_ratings, 2), with their ratings as y;
            - a scipy.sparse matrix of shape (n_users, n_items), whose stored entries are ratings; or a dense one, or a pivot
              table, with NaN where there is no rating;
            - the path of a file, as `mf fit --ratings` takes it.
        y : array of shape (n_ratings,), only with pairs.

        Returns
        -------
        self
        """
        self._forget()
        self._check_parameters()
        if isinstance(X, (str, os.PathLike)):
            if y is not None:
                raise InputError("y: the ratings are those of the file; y goes with pairs of users and items")
            return self._fit({"ratings": os.fspath(X)}, None)
        frame = split_of()
        ratings = self._ratings(X, y, frame)
        if frame is not None:
            expect_seen(frame, ratings)
        return self._fit({}, ratings)

    def _forget(self):
        """Nothing is left of an earlier fit."""
        for name in [one for one in vars(self) if (one.endswith("_") and not one.startswith("_")) or one in _KEPT]:
            delattr(self, name)

    def _ratings(self, X, y, frame):
        try:
            ratings = read_ratings(X, y)
        except InputError:
            expect_rows_of_ratings(frame, False)
            raise
        expect_rows_of_ratings(frame, ratings.by_rows)
        return ratings

    def _fit(self, more, ratings):
        users = items = np.zeros(0, dtype=np.uint32)
        values, user_names, item_names = np.zeros(0), [], []
        if ratings is not None:
            users, user_names, self._users = numbered("users", ratings.users, ratings.rows, ratings.numbered)
            items, item_names, self._items = numbered("items", ratings.items, ratings.columns, ratings.numbered)
            values = ratings.values
        options = {**self._options(), **more, **(self.options or {})}
        result = self._call(option_list(options), users, items, values, user_names, item_names)
        self._of_file = ratings is None
        if ratings is None:
            encoding = self._take_names(result)
            self._by_number, self._shape = more["ratings"].endswith(".npz"), None
        else:
            encoding = "utf-8"
            self._by_number = ratings.numbered and not user_names and not item_names
            self._shape = None if ratings.by_rows or ratings.rows is None else (len(self._users), len(self._items))
        self._keep_model(result)
        self.n_iter_ = max(1, int(result["sweeps"]))
        self._keep_figures(result)
        self.stop_reason_ = stop_reason(result["stop_reason"])
        self.notes_ = [in_python(note, self, not more) for note in result["notes"]]
        if encoding != "utf-8":
            self.notes_.append("ids are no UTF-8: they are read as Latin-1")
        self.converged_ = bool(result["converged"])
        if result["error"] is not None:
            raise result["error"]
        if not result["converged"]:
            warnings.warn(f"{type(self).__name__}: ended early ({self.stop_reason_}); the best factors so far are "
                          "kept", ConvergenceWarning, stacklevel=outside())
        return self

    @classmethod
    def _of_objective(cls, given):
        """Parameters from a config file, as fit() takes them."""
        return given

    def _options(self):
        return {"rank": self.n_components, "lambda": self.alpha, "solver": self.solver, "bias": on_off(self.bias),
                "early_stopping": on_off(self.early_stopping), "sweeps": self.max_iter, "tolerance": self.tol,
                "threads": threads_of(self.n_jobs), "seed": seed_of(self.random_state)}

    def _keep_figures(self, result):
        for name in ("objective", "rmse_train", "rmse_validation", "rmse_test", "model_hash", "config"):
            setattr(self, name + "_", result[name])

    def _call(self, options, users, items, values, user_names, item_names):
        def run(*given):
            try:
                return _strads.fit_factors(*given)
            except (ValueError, RuntimeError) as error:
                raise translated(error, self, len(users) > 0) from None

        if self.cluster is None:
            return run(options, users, items, values, user_names, item_names, self.callback, None)
        none, no_values = np.zeros(0, dtype=np.uint32), np.zeros(0)

        def files(store):
            if not len(users):
                return []
            if user_names or item_names:
                return [("ratings", _table_of_ids(store, users, items, values, user_names, item_names))]
            ratings = scipy.sparse.coo_matrix((values, (users, items)))
            return [("ratings", store.write("ratings", ".npz", [users, items, values],
                                            lambda path: scipy.sparse.save_npz(path, ratings, compressed=False)))]

        return self.cluster._run(
            lambda more, nodes: run(options + more, none, none, no_values, [], [], self.callback, nodes), files)

    def _take_names(self, result):
        """Users and items of a file, in the order of the file."""
        names = [result[side]["ids"] for side in ("users", "items")]
        encoding = encoding_of(*names)
        self._users, self._items = decoded("users", names[0], encoding), decoded("items", names[1], encoding)
        return encoding

    def _keep_model(self, result):
        self._orders = []
        for name, side in (("user", self._users), ("item", self._items)):
            facts = result[name + "s"]
            places = _places(side, facts["ids"])
            factors = np.zeros((len(side), facts["factors"].shape[1]), dtype=np.float32)
            biases, counts = np.zeros(len(side), dtype=np.float32), np.zeros(len(side), dtype=np.uint32)
            factors[places], biases[places], counts[places] = facts["factors"], facts["biases"], facts["counts"]
            side.known = np.zeros(len(side), dtype=bool)
            side.known[places] = True
            self._orders.append(places)
            setattr(self, name + "_ids_", side.ids)
            setattr(self, name + "_factors_", factors)
            setattr(self, name + "_bias_", biases)
            setattr(self, name + "_counts_", counts)
        self.mean_ = float(result["mean"])
        self.range_ = (float(result["lowest"]), float(result["highest"]))
        self.unit_ = float(result["unit"])

    def predict(self, X):
        """Ratings of pairs, within the range of the ratings of the fit. Of a user or item that the fit has not seen the mean
        and the known bias are predicted, and a warning says so.

        Parameters
        ----------
        X : a tuple (users, items) of arrays of shape (n_pairs,), or a table of pairs: a DataFrame with columns 'user' and
            'item', an array of shape (n_pairs, 2), a list of pairs. Users and items are ids, as fit() was given them; numbers
            and their text are the same. Ratings that stand beside them are not looked at.

        Returns
        -------
        ndarray of float32 of shape (n_pairs,)
        """
        check_is_fitted(self)
        users, items = read_pairs(X)
        return self._predicted(users, items)

    def _predicted(self, users, items):
        u, i = self._users.rows_of(users), self._items.rows_of(items)
        self._say_unknown((users, u), (items, i), "the mean and the known bias are predicted")
        has_user, has_item = u >= 0, i >= 0
        scores = (self.mean_ + np.where(has_user, self.user_bias_[u], np.float32(0))
                  + np.where(has_item, self.item_bias_[i], np.float32(0)))
        both = has_user & has_item
        scores[both] += np.einsum("ij,ij->i", self.user_factors_[u[both]], self.item_factors_[i[both]])
        return np.clip(scores, *self.range_)

    def _say_unknown(self, users, items, instead):
        unknown = [ids[rows < 0] for ids, rows in (users, items)]
        if not any(map(len, unknown)):
            return
        parts = []
        for ids, what in zip(unknown, ("a user", "an item")):
            named = list(dict.fromkeys(ids[:1000].tolist()))
            examples = ", ".join(map(repr, named[:_NAMED])) + (", ..." if len(named) > _NAMED else "")
            parts.append(f"{len(ids)} have {what} that the fit has not seen" + (f" ({examples})" if named else ""))
        warnings.warn(f"{type(self).__name__}: of {len(users[0])} pairs {' and '.join(parts)}: {instead}", UserWarning,
                      stacklevel=outside())

    def score(self, X, y=None):
        """Minus the root mean squared error of the predictions: the larger the better.

        Parameters
        ----------
        X, y : ratings in any form that fit() takes, but no file. A matrix has the rows and columns of the fit's.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        if isinstance(X, (str, os.PathLike)):
            raise InputError("score: found a path, expected ratings in memory; a file is measured by options={'test': path} of "
                             "a fit, which sets rmse_test_")
        ratings = self._ratings(X, y, split_of())
        users, items = self._ids_of_rows(ratings)
        return -float(np.sqrt(np.mean((self._predicted(users, items).astype(np.float64) - ratings.values) ** 2)))

    def _ids_of_rows(self, ratings):
        """Ids of users and items; those of a matrix are its labels, or the numbers of the fit's matrix."""
        if ratings.rows is None:
            return ratings.users, ratings.items
        labelled = [not np.isscalar(one) for one in (ratings.rows, ratings.columns)]
        if not any(labelled):
            shape = (ratings.rows, ratings.columns)
            if not self._by_number:
                raise InputError(f"score: a matrix of {shape[0]} x {shape[1]} has no ids, but the fit had: give (users, items, "
                                 "ratings), or a DataFrame whose index and columns are the ids")
            if self._shape is not None and shape != self._shape:
                raise InputError(f"score: a matrix of {shape[0]} x {shape[1]}, but the fit's was {self._shape[0]} x "
                                 f"{self._shape[1]}: its rows are the same users, so that some of the rows (of train_test_split, "
                                 "KFold) would be taken for other users. Split the ratings, a table of (user, item, rating), or "
                                 "give the matrix the same shape")
        users = np.asarray(ratings.rows)[ratings.users] if labelled[0] else ratings.users
        return users, np.asarray(ratings.columns)[ratings.items] if labelled[1] else ratings.items

    def recommend(self, user, n=10, exclude=()):
        """The items with the highest scores for one user.

        Parameters
        ----------
        user : int or str
            Its id. One that the fit has not seen is an InputError: nothing is known of it.
        n : int
            Most items.
        exclude : array of ids, mask of shape (n_items,), or a sparse row of ratings
            What is left out, as items that the user has rated.

        Returns
        -------
        items : ndarray of at most n ids
        scores : ndarray of float32, falling; they are not cut to the range of the ratings.
        """
        check_is_fitted(self)
        if isinstance(n, (bool, np.bool_)) or not isinstance(n, Integral) or n < 1:
            raise UsageError(f"recommend: n must be a whole number from 1. Got {n!r} instead.")
        if np.ndim(user) > 0 and np.size(user) != 1:
            raise InputError(f"recommend: found {np.size(user)} users, expected one; call it for each")
        row = int(self._users.rows_of(ids_of(np.ravel(np.asarray(user, dtype=object)), "user", negative=True))[0])
        if row < 0:
            raise InputError(f"recommend: the user {user!r} is unknown to the model; `mf fold-in` gives new users factors from "
                             "their ratings")
        scores = np.where(self.item_counts_ > 0, self._scores(row), -np.inf)
        scores[self._excluded(exclude)] = -np.inf
        best = np.argsort(-scores, kind="stable")[:n]
        best = best[np.isfinite(scores[best])]
        return self.item_ids_[best], scores[best]

    def _scores(self, row):
        """Of all items for the user of this row: an ndarray of shape (n_items,)."""
        return self.mean_ + self.user_bias_[row] + self.item_bias_ + self.item_factors_ @ self.user_factors_[row]

    def _excluded(self, exclude):
        """Rows of items."""
        if scipy.sparse.issparse(exclude):
            if exclude.shape != (1, len(self._items)) or not self._by_number:
                raise InputError(f"exclude: a sparse matrix of {exclude.shape[0]} x {exclude.shape[1]}, expected one row of the "
                                 "matrix of the fit, or ids")
            return exclude.tocoo().col
        if isinstance(exclude, (set, frozenset)):
            exclude = list(exclude)
        found = np.asarray(exclude)
        if found.dtype.kind == "b":
            if found.shape != (len(self._items),):
                raise InputError(f"exclude: a mask of shape {found.shape}, expected ({len(self._items)},), one for each item, or "
                                 "ids")
            return found
        rows = self._items.rows_of(ids_of(exclude, "exclude", negative=True))
        if len(rows) and (rows < 0).all():
            warnings.warn(f"{type(self).__name__}: none of the {len(rows)} items of exclude is known to the model: nothing is left "
                          "out", UserWarning, stacklevel=outside())
        return rows[rows >= 0]

    def save(self, directory, force=False):
        """Writes the model into a folder, as `mf fit --out` does: `mf predict`, `mf recommend`, `mf fold-in` and load() read
        it. force: a finished run there is replaced."""
        check_is_fitted(self)
        if not isinstance(force, (bool, np.bool_)):
            raise UsageError(f"save: force must be True or False. Got {force!r} instead.")
        save_model(self, directory, force)

    @classmethod
    def load(cls, directory):
        """The model in a folder that `mf fit --out`, `mf fold-in` or save() wrote. Its ids are text, and numbers are found as
        such; its parameters are those of the fit."""
        return load_model(cls, directory)


def _places(side, names):
    """The row of each id of a result."""
    if side.ids.dtype != object and side.are_rows:
        return np.array([int(one) for one in names], dtype=np.int64)
    rows = {name: row for row, name in enumerate(side.names(slice(None)))}
    return np.array([rows[one] for one in names], dtype=np.int64)


def _table_of_ids(store, users, items, values, user_names, item_names):
    """Ratings with ids as a file for nodes: a line each, every digit of them."""
    texts = [[one.decode("utf-8", "surrogateescape") for one in names] or [str(k) for k in range(int(lines.max()) + 1)]
             for names, lines in ((user_names, users), (item_names, items))]
    for what, ids in zip(("users", "items"), texts):
        wrong = next((one for one in ids if one != one.strip() or '"' in one), None)
        if wrong is not None:
            raise InputError(f"{what}: {wrong!r} has blanks at an end or a quotation mark, which a file of ratings, as the nodes of "
                             "a cluster read it, cannot keep; rename it, or fit without a cluster")

    def save(path):
        lines = (f"{texts[0][u]}\t{texts[1][i]}\t{value!r}\n" for u, i, value in zip(users, items, values.tolist()))
        path.write_text("user\titem\trating\n" + "".join(lines), encoding="utf-8", errors="surrogateescape", newline="\n")

    keys = [np.frombuffer("\n".join(ids).encode("utf-8", "surrogateescape"), dtype=np.uint8) for ids in texts]
    return store.write("ratings", ".tsv", [users, items, values, *keys], save)
