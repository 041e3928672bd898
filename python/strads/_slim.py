"""Item weights: each item as a sparse sum of others (SLIM)."""

import json
import os
import warnings

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _strads
from ._base import threads_of
from ._data import option_list
from ._errors import ConvergenceWarning, InputError, outside
from ._ids import decoded, encoding_of
from ._lists import count_from, evaluated
from ._model_files import parameters_of, said
from ._params import Checked
from ._texts import in_python, stop_reason, translated


# What a fit keeps besides attributes whose names end with "_"; options that a config file has for every solver.
_KEPT = ("_facts", "_of_file")
_LEFT_OUT = ("ratings", "test", "solver", "lambda")


class Slim(Checked, BaseEstimator):
    """Score of item j for a user ~ the sum of item_weights_[i, j] over the items i that the user has. The weights of each item are
    a Lasso of its own without weights below 0, solved to a certificate (SLIM). Users and items go by the rows and columns of a
    sparse matrix; of a file column k is item item_ids_[k]. None is the program's own default."""

    _file_parameters = {
        "l1": ("l1", float), "l2": ("l2", float), "user-power": ("user_power", float), "item-power": ("item_power", float),
        "positive-from": ("positive_from", lambda text: float(text) if text else None), "tolerance": ("tol", float)}

    def __init__(self, l1=None, l2=None, *, user_power=None, item_power=None, positive_from=None, tol=None, n_jobs=None,
                 callback=None, cluster=None, options=None):
        self.l1 = l1
        self.l2 = l2
        self.user_power = user_power
        self.item_power = item_power
        self.positive_from = positive_from
        self.tol = tol
        self.n_jobs = n_jobs
        self.callback = callback
        self.cluster = cluster
        self.options = options

    def fit(self, X, y=None):
        """Learns the weights of all items.

        Parameters
        ----------
        X : scipy.sparse matrix of shape (n_users, n_items), or the path of a file, as `mf fit --ratings` takes it
            Each stored entry, or line, of at least positive_from is a pair that was chosen. A CSR matrix of float32 or float64 with
            32-bit indices is used where it lies, another one is converted. The items of a file are columns in the order in which
            it names them, those of an .npz file its columns.
        y : None

        Returns
        -------
        self
        """
        for name in [one for one in vars(self) if (one.endswith("_") and not one.startswith("_")) or one in _KEPT]:
            delattr(self, name)
        self._check_parameters()
        path = os.fspath(X) if isinstance(X, (str, os.PathLike)) else None
        rows = _rows("X", X) if path is None else None
        options = {"l1": self.l1, "l2": self.l2, "user_power": self.user_power, "item_power": self.item_power,
                   "positive_from": self.positive_from, "tolerance": self.tol, "threads": threads_of(self.n_jobs),
                   **(self.options or {})}
        result = self._call(option_list(options if path is None else {**options, "ratings": path}), rows)
        self._of_file = path is not None
        self._keep(result, rows.shape[1] if path is None else _columns_of(path, result["items"]))
        self._keep_figures(result)
        self._keep_outcome(result)
        if result["error"] is not None:
            raise result["error"]
        if not self.converged_:
            missed = int((~(self.relative_gaps_ <= (1e-6 if self.tol is None else self.tol))).sum())
            warnings.warn(f"Slim: ended early ({self.stop_reason_}); {missed} of {len(self._places)} items are not certified",
                          ConvergenceWarning, stacklevel=outside())
        return self

    def _call(self, options, rows):
        def run(given, pairs, nodes):
            try:
                return _strads.fit_weights(given, pairs, self.callback, nodes)
            except (ValueError, RuntimeError) as error:
                raise translated(error, self, rows is not None) from None

        if self.cluster is None:
            return run(options, None if rows is None else _pairs(rows), None)

        def files(store):
            if rows is None:
                return []
            kept = rows if rows.dtype in (np.float32, np.float64) else rows.astype(np.float64)
            return [("ratings", store.write("ratings", ".npz", [kept.indptr, kept.indices, kept.data],
                                            lambda path: scipy.sparse.save_npz(path, kept, compressed=False)))]

        return self.cluster._run(lambda more, nodes: run(options + more, None, nodes), files)

    def _keep(self, result, columns):
        """The model. columns: those of a matrix, whose numbers the ids of items are; None: the ids are their names."""
        self._facts = {name: result[name] for name in ("users", "items", "user_counts", "item_counts", "begins", "columns", "values",
                                                       "config")}
        self._facts.update(lowest_positive=-np.inf if self.positive_from is None else float(self.positive_from),
                           features=columns or 0)
        if columns is None:
            self.item_ids_ = decoded("items", result["items"], encoding_of(result["users"], result["items"])).ids
        else:
            self.item_ids_ = np.arange(columns)
        self.n_features_in_ = count = len(self.item_ids_)
        places = self._places
        by_rows = np.repeat(places, np.diff(result["begins"].astype(np.int64)))
        weights = scipy.sparse.coo_matrix((result["values"], (by_rows, places[result["columns"]])), shape=(count, count)).tocsr()
        weights.sort_indices()
        self.item_weights_ = weights
        self.coef_ = weights.T

    def _keep_figures(self, result):
        self._facts.update(stop_reason=result["stop_reason"], converged=bool(result["converged"]),
                           **{name: result[name] for name in ("objective", "worst_gap", "model_hash")})
        for name, values in (("objectives_", result["objectives"]), ("dual_gaps_", result["gaps"])):
            of_columns = np.zeros(self.n_features_in_)
            of_columns[self._places] = values
            setattr(self, name, of_columns)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.relative_gaps_ = np.where(self.dual_gaps_ == 0, 0.0, self.dual_gaps_ / self.objectives_)

    def _keep_outcome(self, result):
        self.model_hash_, self.config_ = result["model_hash"], result["config"]
        self.converged_ = bool(result["converged"])
        self.stop_reason_ = stop_reason(result["stop_reason"])
        self.notes_ = [in_python(note, self, True) for note in result["notes"]]
        self.n_iter_ = max(1, int(result["rounds"]))

    @property
    def _places(self):
        """Columns of X in the order in which the program numbers items."""
        if not self._facts["features"]:
            return np.arange(len(self._facts["items"]))
        return np.array([int(one) for one in self._facts["items"]], dtype=np.int64)

    def recommend(self, userid, user_items, N=10, filter_already_liked_items=True, filter_items=None, items=None):
        """The best items of users who are given by what they have, known to the fit or not: names and arrays are those of the
        package implicit.

        Parameters
        ----------
        userid : int or array of int of shape (n_users,)
            Whose rows user_items has; a number gives arrays of one dimension.
        user_items : scipy.sparse matrix of shape (n_users, n_items)
            One row for each of them.
        N : int
            Length of the lists.
        filter_already_liked_items : bool
            Whether items of a user's row are left out.
        filter_items, items : array of int or None
            Columns that no list has; columns that alone may stand in one.

        Returns
        -------
        ids : ndarray of int32 of shape (N,) or (n_users, N)
            Columns, best first; behind the end of a list -1.
        scores : ndarray of float32 of that shape
        """
        check_is_fitted(self)
        rows = self._rows_of_fit("user_items", user_items)
        if rows.shape[0] != np.size(userid):
            raise InputError(f"user_items: found {rows.shape[0]} rows for {np.size(userid)} users, expected one row for each of userid")
        places, count = self._places, count_from(N, "recommend: N")
        known = self._numbered(rows)
        liked = known if self.positive_from is None else self._numbered(_at_least(rows, self.positive_from))
        left_out = known if filter_already_liked_items else (np.zeros(rows.shape[0] + 1, dtype=np.uint64), np.zeros(0, dtype=np.uint32))
        allowed = None
        if items is not None or filter_items is not None:
            by_column = np.ones(rows.shape[1], dtype=np.uint8) if items is None else np.zeros(rows.shape[1], dtype=np.uint8)
            if items is not None:
                by_column[_columns("items", items, rows.shape[1])] = 1
            if filter_items is not None:
                by_column[_columns("filter_items", filter_items, rows.shape[1])] = 0
            allowed = by_column[places]
        numbers, scores = _strads.recommend_by_weights(self._facts, liked, left_out, allowed, count, threads_of(self.n_jobs) or 0)
        ids = np.where(numbers >= 0, places[numbers].astype(np.int32), np.int32(-1))
        return (ids[0], scores[0]) if np.ndim(userid) == 0 else (ids, scores)

    def similar_items(self, itemid, N=10):
        """The items for which this one speaks most, as `mf similar` says them: without itself, and none of weight 0.

        Parameters
        ----------
        itemid : int
            Its column.
        N : int
            Most items.

        Returns
        -------
        ids : ndarray of at most N columns
        scores : ndarray of float32, the weights, falling
        """
        check_is_fitted(self)
        count = count_from(N, "similar_items: N")
        row = self.item_weights_[int(_columns("itemid", [itemid], self.n_features_in_)[0])]
        numbers = np.full(self.n_features_in_, len(self._places))
        numbers[self._places] = np.arange(len(self._places))
        best = np.lexsort((numbers[row.indices], -row.data))[:count]
        return row.indices[best], row.data[best]

    def evaluate(self, train_user_items, test_user_items, K=20, *, relevant=None):
        """What lists are worth, by the code of `mf evaluate`: the same digits.

        Parameters
        ----------
        train_user_items : scipy.sparse matrix of shape (n_users, n_items)
            What users have: their lists start from it and leave it out.
        test_user_items : scipy.sparse matrix of that shape
            What the lists should have.
        K : int or array of int
            Lengths of the lists.
        relevant : float or None
            Test entries count from this value on; None: all.

        Returns
        -------
        pandas.DataFrame
            A row for each (k, ranked by 'model' or 'popularity'), a column for each metric. Its attrs have the numbers of users
            and pairs, and standard errors.
        """
        check_is_fitted(self)
        train, test = (self._rows_of_fit(name, one) for name, one in (("train_user_items", train_user_items),
                                                                     ("test_user_items", test_user_items)))
        if train.shape[0] != test.shape[0]:
            raise InputError(f"train and test: found {train.shape[0]} and {test.shape[0]} rows, expected the same users")
        # Pairs in memory go by numbers of columns, whatever the items are called.
        facts = {**self._facts, "items": [str(place).encode() for place in self._places]}
        return evaluated(self, facts, _pairs(train), _pairs(test), relevant, K, threads_of(self.n_jobs))

    def save(self, directory, force=False):
        """Writes the model into a folder, as `mf fit --solver slim --out` does: `mf recommend`, `mf similar` and `mf evaluate`
        read it. force: a finished run there is replaced."""
        check_is_fitted(self)
        config = "".join(line + "\n" for line in self.config_.splitlines() if self._of_file or not line.startswith("ratings ="))
        try:
            _strads.save_weights(os.fspath(directory), bool(force), {**self._facts, "config": config})
        except (ValueError, RuntimeError) as error:
            raise said(error, self) from None

    @classmethod
    def load(cls, directory):
        """The model in a folder that `mf fit --solver slim --out`, `mf refit` or save() wrote; its parameters are those of the fit.
        A folder has no gaps of items: objectives_, dual_gaps_ and relative_gaps_ are nan."""
        folder = os.fspath(directory)
        if os.path.exists(os.path.join(folder, "item_factors.npy")):
            raise InputError(f"{folder}: a model of factors; load it by strads.MatrixFactorization.load or "
                             "strads.ImplicitFactorization.load")
        try:
            facts = _strads.load_weights(folder)
        except (ValueError, RuntimeError) as error:
            raise said(error, cls()) from None
        model = cls(**parameters_of(facts["config"], _strads.options_of_factorization(), cls._file_parameters, _LEFT_OUT))
        summary = json.loads(facts["summary"])
        path = next((line[len("ratings = "):] for line in facts["config"].splitlines() if line.startswith("ratings = ")), "")
        model._of_file = bool(path)
        model._keep(facts, summary.get("features") or (_columns_of(path, facts["items"]) if path else None))
        unknown = np.full(len(facts["items"]), np.nan)
        model._keep_figures({"stop_reason": summary.get("stop_reason", ""), "converged": summary.get("finished", True),
                             "objectives": unknown, "gaps": unknown, "objective": summary.get("objective", np.nan),
                             "worst_gap": summary.get("worst_gap", np.nan), "model_hash": summary.get("model_hash", "")})
        model._keep_outcome({**model._facts, "notes": [], "rounds": summary.get("rounds", 1)})
        return model

    def _rows_of_fit(self, name, X):
        rows = _rows(name, X)
        if rows.shape[1] != self.n_features_in_:
            raise InputError(f"{name}: found {rows.shape[1]} columns, expected {self.n_features_in_}, the items of the fit")
        return rows

    def _numbered(self, rows):
        """(begins, items) of rows by the program's numbers of items, ascending; columns that the fit has not seen are left out."""
        places = self._places
        chosen = rows[:, places].tocsr()
        chosen.sum_duplicates()
        chosen.sort_indices()
        return chosen.indptr.astype(np.uint64), chosen.indices.astype(np.uint32)


def _columns_of(path, items):
    """How many columns an .npz file has; None of another file, whose ids are names."""
    if not path.endswith(".npz"):
        return None
    least = max((int(one) for one in items), default=-1) + 1
    try:
        with np.load(path) as arrays:
            return max(least, int(arrays["shape"][1]))
    except (OSError, KeyError, ValueError):  # it is elsewhere now
        return least


def _columns(name, values, count):
    columns = np.asarray(values)
    if columns.ndim != 1 or columns.dtype.kind not in "iu" or (columns.size and not (0 <= columns.min() and columns.max() < count)):
        raise InputError(f"{name}: found {values!r}, expected whole numbers from 0 to {count - 1}, columns of the fit")
    return columns


def _at_least(rows, least):
    keep = rows.data >= least
    chosen = rows.copy()
    chosen.data = keep.astype(np.float32)
    chosen.eliminate_zeros()
    return chosen


def _rows(name, X):
    """X by rows, itself where that is possible."""
    if not scipy.sparse.issparse(X):
        raise InputError(f"{name}: found {type(X).__name__}, expected a scipy.sparse matrix of users x items, whose stored entries are "
                         "pairs that were chosen")
    if X.dtype.kind not in "fiub":
        raise InputError(f"{name}: found a sparse matrix of {X.dtype}, expected numbers")
    return X if X.format == "csr" else X.tocsr()


def _pairs(rows):
    """The arrays of a CSR matrix, without a copy where they are float32 or float64 and int32."""
    indices = np.ascontiguousarray(rows.indices)
    indices = indices.view(np.uint32) if indices.dtype == np.int32 else indices.astype(np.uint32)
    values = rows.data if rows.dtype in (np.float32, np.float64) else rows.data.astype(np.float64)
    return {"begins": rows.indptr.astype(np.uint64), "items": indices, "values": np.ascontiguousarray(values)}
