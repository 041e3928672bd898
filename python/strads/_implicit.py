"""What users chose, clicks, plays or visits, as products of a few factors."""

from numbers import Integral

import numpy as np
import scipy.sparse
from sklearn.utils.validation import check_is_fitted

from ._base import seed_of, threads_of
from ._errors import InputError, UsageError
from ._factorization import MatrixFactorization
from ._ids import Side
from ._lists import alike, count_from, evaluated, row_of
from ._ratings import Ratings, has_values, read_pairs, read_ratings
from ._rating_splits import expect_rows_of_ratings, split_of

_OF_RATINGS = ("user_bias_", "item_bias_", "mean_", "range_", "unit_", "rmse_train_", "rmse_validation_", "rmse_test_")


class ImplicitFactorization(MatrixFactorization):
    """Score of user u and item i ~ user_factors_[u] . item_factors_[i]: near 1 for what u chose, nearer to 0 for all else. It
    learns from pairs that were chosen, with how often where that is known; scores order items and are no ratings. Users and
    items go by their ids, as in MatrixFactorization. None is the program's own default."""

    _file_parameters = {
        "rank": ("n_components", int), "lambda": ("alpha", float), "alpha0": ("alpha0", float), "nu": ("nu", float),
        "confidence": ("confidence", str), "positive-from": ("positive_from", lambda text: float(text) if text else None),
        "solver": ("solver", str), "sweeps": ("max_iter", int), "tolerance": ("tol", float), "seed": ("random_state", int)}
    _feedback = "implicit"

    def __init__(self, n_components=None, *, alpha=None, alpha0=None, nu=None, confidence=None, positive_from=None,
                 solver=None, max_iter=None, tol=None, n_jobs=None, random_state=None, callback=None, cluster=None,
                 options=None):
        self.n_components = n_components
        self.alpha = alpha
        self.alpha0 = alpha0
        self.nu = nu
        self.confidence = confidence
        self.positive_from = positive_from
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.cluster = cluster
        self.options = options

    def fit(self, X, y=None):
        """Learns factors from what users chose.

        Parameters
        ----------
        X : one of
            - a tuple (users, items) of arrays of shape (n_pairs,), or (users, items, counts): ids are whole numbers from 0, or
              text;
            - a table of pairs or of pairs with counts: a DataFrame (pandas, Polars) or dict with columns 'user', 'item' and
              perhaps 'rating' or other names that `mf fit --ratings` knows, an array of shape (n_pairs, 2) or (n_pairs, 3);
            - a scipy.sparse matrix of shape (n_users, n_items), whose stored entries are counts;
            - the path of a file, as `mf fit --ratings` takes it.
            A pair that comes again counts again. Counts matter with `confidence` and `positive_from` alone.
        y : array of shape (n_pairs,), counts beside pairs.

        Returns
        -------
        self
        """
        return super().fit(X, y)

    def _ratings(self, X, y, frame):
        if y is None and not has_values(X):
            users, items = read_pairs(X, negative=False)
            if not len(users):
                raise InputError("pairs: none, expected at least one")
            by_rows = not (isinstance(X, tuple) and len(X) == 2)
            expect_rows_of_ratings(frame, by_rows)
            return Ratings(users, items, np.ones(len(users)), by_rows=by_rows, numbered=not by_rows)
        ratings = read_ratings(X, y)
        expect_rows_of_ratings(frame, ratings.by_rows)
        return ratings

    def _options(self):
        return {"feedback": "implicit", "rank": self.n_components, "lambda": self.alpha, "alpha0": self.alpha0, "nu": self.nu,
                "confidence": self.confidence, "positive_from": self.positive_from, "solver": self.solver,
                "sweeps": self.max_iter, "tolerance": self.tol, "threads": threads_of(self.n_jobs),
                "seed": seed_of(self.random_state)}

    def _keep_figures(self, result):
        for name in ("objective", "model_hash", "config"):
            setattr(self, name + "_", result[name])

    def _keep_model(self, result):
        super()._keep_model(result)
        for name in _OF_RATINGS:
            self.__dict__.pop(name, None)

    def _predicted(self, users, items):
        u, i = self._users.rows_of(users), self._items.rows_of(items)
        self._say_unknown((users, u), (items, i), "their score is 0")
        scores = np.zeros(len(u), dtype=np.float32)
        both = (u >= 0) & (i >= 0)
        scores[both] = np.einsum("ij,ij->i", self.user_factors_[u[both]], self.item_factors_[i[both]])
        return scores

    def _scores(self, row):
        return self.item_factors_ @ self.user_factors_[row]

    def predict(self, X):
        """Scores of pairs; that of a user or item that the fit has not seen is 0, and a warning says so.

        Parameters
        ----------
        X : a tuple (users, items) of arrays of shape (n_pairs,), or a table of pairs, as MatrixFactorization.predict takes it.

        Returns
        -------
        ndarray of float32 of shape (n_pairs,)
        """
        return super().predict(X)

    def score(self, X, y=None, *, seen=None, k=20):
        """Mean NDCG of the k best items of each user of X, from 0 to 1; right are those that X has for the user, of a
        value of at least positive_from. As in `mf evaluate` an item that the fit has not seen is missed, users that it has not
        seen are left out, and of items with the same score it is not the one named first that comes first.

        Parameters
        ----------
        X, y : held-out pairs in any form that fit() takes, but no file. A matrix has the rows and columns of the fit's.
        seen : pairs that lists leave out, in such a form: those of the fit. None: none is left out.
        k : int
            Length of the lists.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        if isinstance(k, (bool, np.bool_)) or not isinstance(k, Integral) or k < 1:
            raise UsageError(f"score: k must be a whole number from 1. Got {k!r} instead.")
        asked = self._rows_of_pairs(X, y, self.positive_from)
        known = None if seen is None else self._rows_of_pairs(seen, None, None)
        if not asked.nnz:
            raise InputError("score: no pair has a user that the fit knows")
        gains = 1 / np.log2(np.arange(2, k + 2))
        totals = []
        for row in np.flatnonzero(np.diff(asked.indptr)):
            right = asked.indices[asked.indptr[row]:asked.indptr[row + 1]]
            scores = np.where(self.item_counts_ > 0, self._sums(row), -np.inf)
            if known is not None:
                scores[known.indices[known.indptr[row]:known.indptr[row + 1]]] = -np.inf
            best = np.lexsort((self._tie_order(row), -scores))[:k]
            hits = np.isin(best[np.isfinite(scores[best])], right)
            # Columns beyond the items stand for those that the fit has not seen: no list has them.
            totals.append(gains[:len(hits)][hits].sum() / gains[:len(right)].sum())
        return float(np.mean(totals))

    def evaluate(self, train, test, K=20, *, relevant=None):
        """What lists are worth, by the code of `mf evaluate`: the same digits.

        Parameters
        ----------
        train, test : pairs in any form that fit() takes, but no file
            What lists leave out, and what they should have. A matrix has the rows and columns of the fit's.
        K : int or array of int
            Lengths of the lists.
        relevant : float or None
            Test pairs with a value count from this on; None: positive_from, or all.

        Returns
        -------
        pandas.DataFrame
            A row for each (k, ranked by 'model' or 'popularity'), a column for each metric. Its attrs have the numbers of users
            and pairs, and standard errors.
        """
        check_is_fitted(self)
        facts = {"rank": self.user_factors_.shape[1], "mean": 0.0, "lowest": -np.inf, "highest": np.inf, "unit": 1.0}
        for name, side, order in (("user", self._users, self._orders[0]), ("item", self._items, self._orders[1])):
            facts[name + "s"] = {"ids": side.names(order), "factors": getattr(self, name + "_factors_")[order],
                                 "biases": np.zeros(len(order), dtype=np.float32), "counts": getattr(self, name + "_counts_")[order]}
        pairs = [self._named_pairs(one) for one in (train, test)]
        least = self.positive_from if relevant is None else relevant
        return evaluated(self, facts, *pairs, None if least is None else float(least), K, threads_of(self.n_jobs))

    def _named_pairs(self, X):
        """Pairs by ids, as the program takes them."""
        if isinstance(X, (str, bytes)) or hasattr(X, "__fspath__"):
            raise InputError("evaluate: found a path, expected pairs in memory; `mf evaluate` takes files")
        pairs = self._ratings(X, None, split_of())
        users, items = self._ids_of_rows(pairs)
        facts = {"values": np.ascontiguousarray(pairs.values, dtype=np.float64)}
        for name, side, ids in (("user", self._users, users), ("item", self._items, items)):
            different, rows = np.unique(ids, return_inverse=True)
            facts[name + "s"] = rows.astype(np.uint32)
            facts[name + "_ids"] = Side(name + "s", different, side.encoding).names(slice(None))
        return facts

    def similar_items(self, itemid, N=10):
        """The items whose factors have the largest cosines with this one's, without itself.

        Parameters
        ----------
        itemid : int or str
            Its id.
        N : int
            Most items.

        Returns
        -------
        ids : ndarray of at most N ids
        scores : ndarray of float32, the cosines, falling
        """
        check_is_fitted(self)
        count = count_from(N, "similar_items: N")
        best, scores = alike(self.item_factors_, row_of(self._items, itemid, "itemid"), count, self.item_counts_ > 0)
        return self.item_ids_[best], scores

    def similar_users(self, userid, N=10):
        """The users whose factors have the largest cosines with this one's, without themselves: as similar_items()."""
        check_is_fitted(self)
        count = count_from(N, "similar_users: N")
        best, scores = alike(self.user_factors_, row_of(self._users, userid, "userid"), count, self.user_counts_ > 0)
        return self.user_ids_[best], scores

    def _sums(self, row):
        """Scores of all items for the user of this row, each summed factor by factor: items with the same factors have the
        same score."""
        sums = np.zeros(len(self._items), dtype=np.float32)
        for of_user, of_items in zip(self.user_factors_[row], self.item_factors_.T):
            sums += of_user * of_items
        return sums

    def _tie_order(self, row):
        """What comes first of items with the same score, as in `mf evaluate`: the smaller hash of user and item by their
        numbers in the fit, not the item that the data name first, which is often the popular one."""
        users, items = self._orders
        numbers = np.full(len(self._items), len(items), dtype=np.uint64)
        numbers[items] = np.arange(len(items), dtype=np.uint64)
        user = np.uint64(np.flatnonzero(users == row)[0])
        return _mixed((user << np.uint64(32)) + numbers)

    def _rows_of_pairs(self, X, y, least):
        """Users x items (and columns for items that nobody knows) of pairs with a value of at least `least`; unknown users
        are left out."""
        if isinstance(X, (str, bytes)) or hasattr(X, "__fspath__"):
            raise InputError("score: found a path, expected pairs in memory; `mf evaluate --test` takes files")
        pairs = self._ratings(X, y, split_of())
        users, items = self._ids_of_rows(pairs)
        if least is not None and (y is not None or has_values(X)):
            users, items = users[pairs.values >= least], items[pairs.values >= least]
        u, i = self._users.rows_of(users), self._items.rows_of(items).astype(np.int64)
        strange = np.flatnonzero(i < 0)
        strangers = {}
        for at in strange:
            i[at] = len(self._items) + strangers.setdefault(items[at], len(strangers))
        keep = u >= 0
        found = scipy.sparse.coo_matrix((np.ones(keep.sum()), (u[keep], i[keep])),
                                        shape=(len(self._users), len(self._items) + len(strangers))).tocsr()
        found.sum_duplicates()
        return found


def _mixed(z):
    """The finaliser of SplitMix64 [Steele, Lea, Flood 2014]."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
    return z ^ (z >> np.uint64(31))
