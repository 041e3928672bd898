"""Ratings and pairs in the forms in which people have them: triples, tables, matrices. A form that could be two things is
refused with what to give instead: a table that is taken for something else would be fitted without a word."""

import re
from collections.abc import Mapping

import numpy as np
import scipy.sparse

from . import _strads
from ._errors import InputError
from ._ids import NUMBERS, column_of, first_missing, ids_of, is_missing

TAKEN = ("a tuple (users, items, ratings) of arrays, a table of three columns (a DataFrame, an n x 3 array, a list of triples), "
         "n x 2 pairs with y=ratings, a scipy.sparse matrix of users x items, a dense one with NaN where there is no rating, "
         "or the path of a file")
TAKEN_PAIRS = ("a tuple (users, items) of arrays of the same length, or a table of pairs (a DataFrame, an n x 2 array, a list "
               "of pairs)")
_ROLES = ("user", "item", "rating")
_RECBOLE = re.compile(r":(token|float)(_seq)?$")  # RecBole writes the type behind a name
_WIDE = 8  # a matrix of more columns is no table of ratings with a few more facts


class Ratings:
    """What was read. `by_rows`: a row of what was given is a rating, so that rows may be chosen. `rows`, `columns`: all ids
    of a matrix's sides, also of those without ratings; `numbered`: ids are numbers of rows, from 0."""

    def __init__(self, users, items, values, *, by_rows, rows=None, columns=None, numbered=False):
        self.users, self.items, self.values, self.by_rows = users, items, values, by_rows
        self.rows, self.columns, self.numbered = rows, columns, numbered
        counts = [len(users), len(items)] + ([] if values is None else [len(values)])
        if len(set(counts)) > 1:
            raise InputError(f"users, items and ratings: found {', '.join(map(str, counts))}, expected as many of each")


def _numbers(values, what="ratings"):
    """Ratings as float64: what is none is named."""
    if np.ma.is_masked(values):
        raise InputError(f"{what}: entry {int(np.flatnonzero(np.ma.getmaskarray(values))[0])} is masked; leave it out")
    if scipy.sparse.issparse(values):
        raise InputError(f"{what}: found a sparse matrix, expected an array of numbers in one dimension")
    found = np.asarray(values)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]  # a table of one column
    if found.ndim != 1:
        raise InputError(f"{what}: found an array of shape {found.shape}, expected numbers in one dimension")
    has_flags = found.dtype.kind == "b" or (found.dtype.kind == "O" and any(
        isinstance(one, (bool, np.bool_)) for one in found))
    if has_flags:
        raise InputError(f"{what}: found True and False, flags of what is known or liked, expected the ratings themselves")
    if found.dtype.kind not in NUMBERS + "OUS":
        raise InputError(f"{what}: found {found.dtype}, expected numbers")
    if found.dtype.kind == "O":
        found = np.array([np.nan if is_missing(one) else one for one in found], dtype=object)
    try:
        numbers = np.ascontiguousarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what}: entry {_first_text(found)}, expected a number") from None
    if not np.isfinite(numbers).all():
        first = int(np.flatnonzero(~np.isfinite(numbers))[0])
        what_it_is = "missing" if np.isnan(numbers[first]) else "infinite"
        raise InputError(f"{what}: entry {first} is {what_it_is}, expected a finite number; leave out what is not rated")
    return numbers


def _first_text(found):
    for k, one in enumerate(found):
        try:
            float(one)
        except (TypeError, ValueError):
            return f"{k} is {one!r}"
    return "0 is no number"


def _is_table(X):
    return hasattr(X, "columns") and hasattr(X, "__getitem__") and not isinstance(X, np.ndarray)


def _names(X):
    """Names of the columns of something that has some, or None."""
    if isinstance(X, Mapping):
        return list(X)
    if isinstance(X, np.ndarray) and X.dtype.names:
        return list(X.dtype.names)
    return list(X.columns) if _is_table(X) else None


def _column(X, name):
    column = X[name]
    return column.to_numpy() if hasattr(column, "to_numpy") else column


def _roles(names):
    """{role: [places]} of what the names of columns say."""
    found = {}
    for place, name in enumerate(names):
        role = _strads.role_of_column(_RECBOLE.sub("", str(name))) if isinstance(name, str) else ""
        if role:
            found.setdefault(role, []).append(place)
    return found


def _by_names(X, names, wanted):
    """The wanted columns of a table whose names say which they are, or None."""
    roles = _roles(names)
    if "user" not in roles and "item" not in roles:
        return None
    listed = ", ".join(repr(str(name)) for name in names[:10])
    for role in wanted:
        places = roles.get(role, [])
        if len(places) > 1:
            raise InputError(f"the table has {len(places)} columns of a {role}: "
                             f"{', '.join(repr(str(names[k])) for k in places)}; give the one that is meant")
        if not places:
            index = getattr(getattr(X, "index", None), "name", None)
            more = (f"; its index is named {index!r}: give X.reset_index()" if index is not None and role in _roles([index]) else
                    "; a pivot table has the users as its index: set_index(...)" if role == "item" and len(names) > 3 else
                    f"; rename the one that is meant to {role!r}, or give a tuple of columns")
            raise InputError(f"the table has no column that is known as {role}: found {listed}{more}")
    return [_column(X, names[roles[role][0]]) for role in wanted]


def _without_names(names):
    """Whether columns have only their numbers, as pandas gives them."""
    return list(names) == list(range(len(names)))


def _looks_like_triples(X):
    """Two columns of whole numbers, then something else: what a table of ratings with gaps is like."""
    try:
        first = np.asarray(X[:, :2], dtype=np.float64)
    except (TypeError, ValueError):
        return True  # ids that are text
    return bool(np.isfinite(first).all() and (first == np.floor(first)).all())


def _from_matrix(X, rows, columns):
    """A dense matrix of users x items with NaN, or a mask, where there is no rating."""
    mask = np.ma.getmaskarray(X) if isinstance(X, np.ma.MaskedArray) else None
    values = np.ma.getdata(X) if mask is not None else X
    if values.dtype.kind == "b":
        raise InputError("ratings: found a matrix of True and False, a mask of what is known, expected the ratings themselves: "
                         "numpy.where(mask, ratings, numpy.nan)")
    missing = mask if mask is not None else first_missing(values)
    users, items = np.nonzero(~missing)
    given = values[users, items]
    if values.dtype.kind in NUMBERS:
        given = given.astype(np.float64)
        _expect_finite(given, users, items)
    else:
        given = _numbers(given)
    return Ratings(users, items, given, by_rows=False, numbered=True, rows=X.shape[0] if rows is None else rows,
                   columns=X.shape[1] if columns is None else columns)


def _expect_finite(values, users, items):
    if not np.isfinite(values).all():
        first = int(np.flatnonzero(~np.isfinite(values))[0])
        what = "missing (NaN)" if np.isnan(values[first]) else "infinite"
        raise InputError(f"ratings: row {users[first]}, column {items[first]} is {what}, expected a finite number")


def _from_array(X, rows=None, columns=None):
    """n x 3 are triples; what has NaN, or is masked, is a matrix; nothing else can be told."""
    if X.ndim != 2:
        raise InputError(f"ratings: found an array of shape {X.shape}, expected {TAKEN}")
    if isinstance(X, np.ma.MaskedArray) and (np.ma.is_masked(X) or X.shape[1] != 3):
        return _from_matrix(X, rows, columns)
    if X.dtype.kind == "b":
        return _from_matrix(X, rows, columns)
    count, wide = X.shape
    has_gaps = bool(first_missing(X).any())
    matrix = ("where it is a matrix of users x items, give scipy.sparse.csr_matrix(X), whose stored entries are the ratings, or "
              "NaN where there is no rating")
    if wide == 3:
        if has_gaps:
            raise InputError(f"ratings: an array of {count} x 3 with missing entries: leave those rows out where it is a table of "
                             f"(user, item, rating); {matrix.split(', or NaN')[0]}")
        if count == 3:
            raise InputError("ratings: an array of 3 x 3 could be three triples, or users, items and ratings, one a row; give a "
                             "tuple (users, items, ratings)")
        return Ratings(ids_of(X[:, 0], "users"), ids_of(X[:, 1], "items"), _numbers(X[:, 2]), by_rows=True)
    if count == 3 and _looks_like_triples(X.T):
        raise InputError(f"ratings: an array of 3 x {wide}, expected n x 3; where its rows are users, items and ratings, give X.T "
                         f"or tuple(X); {matrix}")
    if has_gaps and wide != 2 and (wide > _WIDE or not _looks_like_triples(X)):
        return _from_matrix(X, rows, columns)
    if wide == 2:
        raise InputError(f"ratings: an array of {count} x 2 has no ratings; give them as y, or {TAKEN}")
    table = ("where it is a table with further columns, give its first three; " if 3 < wide <= _WIDE else "")
    raise InputError(f"ratings: an array of {count} x {wide}{'' if has_gaps else ' without NaN'}: {table}{matrix}")


def _labels(index):
    """Ids of a pandas index, or None where they are the numbers of the rows."""
    if getattr(index, "nlevels", 1) != 1:
        raise InputError("ratings: a matrix whose rows or columns have labels of several levels, expected one id each")
    ids = ids_of(np.asarray(index), "labels of rows and columns", negative=True)
    if len(set(ids.tolist())) < len(ids):
        raise InputError("ratings: labels of rows and columns of a matrix are there twice, expected each id once")
    return None if ids.dtype != object and np.array_equal(ids, np.arange(len(ids))) else ids


def _from_table(X):
    names = _names(X)
    index = getattr(X, "index", None)
    if getattr(index, "nlevels", 1) == 2:  # (user, item) stand in the index
        X = X.reset_index()
        names = _names(X)
    if any("Sparse" in str(kind) for kind in getattr(X, "dtypes", [])):
        raise InputError("ratings: a DataFrame of sparse columns; give X.sparse.to_coo(), whose stored entries are the ratings")
    if len({str(name) for name in names}) < len(names):
        raise InputError(f"ratings: two columns have one name: {', '.join(repr(str(name)) for name in names[:10])}")
    found = _by_names(X, names, _ROLES)
    if found is not None:
        return Ratings(ids_of(found[0], "users"), ids_of(found[1], "items"), _numbers(found[2]), by_rows=True)
    listed = ", ".join(repr(str(name)) for name in names[:5]) + (", ..." if len(names) > 5 else "")
    if hasattr(X, "to_numpy") and (_without_names(names) or bool(first_missing(np.asarray(X.to_numpy())).any())):
        labelled = index is not None and hasattr(index, "nlevels")
        return _from_array(np.asarray(X.to_numpy()), _labels(index) if labelled else None,
                           _labels(X.columns) if labelled else ids_of(np.array(names, dtype=object), "columns"))
    raise InputError(f"ratings: the columns are {listed}: none is known as user or item. Rename them to 'user', 'item', 'rating', "
                     "or give a tuple of the three columns; a pivot table of users x items has NaN where there is no rating")


def _from_series(X):
    """pandas.Series of ratings whose index is (user, item)."""
    levels = [X.index.get_level_values(k).to_numpy() for k in (0, 1)]
    roles = _roles(list(X.index.names))
    if roles.get("user") == [1] or roles.get("item") == [0]:
        levels.reverse()
    return levels


def _is_array(one):
    return hasattr(one, "dtype") and np.ndim(one) > 0


def _columns_of(X, counts, what):
    """The columns of a list or tuple: of arrays that are columns, or of records. `counts`: how many there are, and what they
    may be as well."""
    parts = list(X)
    expected = f"expected {what}"
    if not parts:
        raise InputError(f"found an empty {type(X).__name__}, {expected}")
    if any(isinstance(one, (str, bytes)) or not hasattr(one, "__len__") or getattr(one, "ndim", 1) == 0 for one in parts):
        raise InputError(f"found {type(X).__name__} of single values ({parts[0]!r}, ...), {expected}")
    if any(scipy.sparse.issparse(one) or isinstance(one, Mapping) or getattr(one, "ndim", 1) > 1 for one in parts):
        raise InputError(f"found {type(X).__name__} of tables or matrices, {expected}")
    lengths = {len(one) for one in parts}
    if len(parts) in counts and (any(map(_is_array, parts)) or (isinstance(X, tuple) and not isinstance(parts[0], tuple))):
        return parts
    could_be_columns = len(parts) == counts[0]
    could_be_records = len(lengths) == 1 and next(iter(lengths)) in counts
    if could_be_columns and could_be_records:
        raise InputError(f"{len(parts)} entries of {next(iter(lengths))} could be columns or records; {expected}")
    if could_be_columns:
        return parts
    if could_be_records:
        return [column_of(column) for column in zip(*parts)]
    raise InputError(f"found {len(parts)} entries of {', '.join(map(str, sorted(lengths)[:3]))} each, {expected}")


def read_pairs(X, *, negative=True):
    """(users, items) of what predict() takes, and fit() beside y."""
    users, items = _pair_columns(X)
    users, items = ids_of(users, "users", negative), ids_of(items, "items", negative)
    if len(users) != len(items):
        raise InputError(f"users and items: found {len(users)} and {len(items)}, expected as many of each")
    return users, items


def _pair_columns(X):
    if scipy.sparse.issparse(X):
        raise InputError("pairs: found a sparse matrix; of its stored entries these are (X.tocoo().row, X.tocoo().col)")
    names = _names(X)
    if names is not None:
        if getattr(getattr(X, "index", None), "nlevels", 1) == 2 and "user" not in _roles(names):
            return _from_series(X)
        found = _by_names(X, names, _ROLES[:2])
        if found is not None:
            return found
        if not (hasattr(X, "to_numpy") and _without_names(names)):
            raise InputError(f"pairs: the columns are {', '.join(repr(str(name)) for name in names[:5])}: none is known as user "
                             "or item. Rename them to 'user' and 'item', or give a tuple of the two columns")
        X = X.to_numpy()
    if getattr(X, "nlevels", 0) == 2:
        return [X.get_level_values(k).to_numpy() for k in (0, 1)]
    if getattr(getattr(X, "index", None), "nlevels", 1) == 2:
        return _from_series(X)
    if isinstance(X, (list, tuple)):
        return _columns_of(X, (2, 3), TAKEN_PAIRS)[:2]
    if not isinstance(X, np.ma.MaskedArray) and hasattr(X, "__array__"):
        X = np.asarray(X)
    if not isinstance(X, np.ndarray):
        raise InputError(f"pairs: found {type(X).__name__}, expected {TAKEN_PAIRS}")
    if X.shape in ((2, 2), (2, 3)):
        raise InputError(f"pairs: an array of 2 x {X.shape[1]} could have pairs as rows or as columns; give a tuple (users, items)")
    if X.ndim != 2 or X.shape[1] not in (2, 3):
        more = "; where its rows are users and items, give X.T or tuple(X)" if X.ndim == 2 and X.shape[0] == 2 else ""
        raise InputError(f"pairs: found an array of shape {X.shape}, expected {TAKEN_PAIRS}{more}")
    return X[:, 0], X[:, 1]


def _from_sparse(X):
    if X.dtype.kind == "b":
        raise InputError("ratings: found a sparse matrix of True and False, a mask of what is known, expected the ratings "
                         "themselves")
    if X.dtype.kind not in NUMBERS:
        raise InputError(f"ratings: found a sparse matrix of {X.dtype}, expected numbers")
    entries = X.tocoo()
    values = np.ascontiguousarray(entries.data, dtype=np.float64)
    _expect_finite(values, entries.row, entries.col)
    out = Ratings(entries.row.astype(np.int64), entries.col.astype(np.int64), values, by_rows=False, numbered=True)
    out.rows, out.columns = entries.shape
    return out


def _from_tuple(columns):
    users, items = ids_of(columns[0], "users"), ids_of(columns[1], "items")
    return Ratings(users, items, _numbers(columns[2]), by_rows=False, numbered=True)


def read_ratings(X, y=None):
    """Ratings of what fit() and score() take. InputError: what was found, and what is taken."""
    if y is not None:
        if scipy.sparse.issparse(X) or (isinstance(X, (list, tuple)) and len(X) == 3 and any(map(_is_array, X))):
            raise InputError("ratings are given twice, in X and as y: y goes with pairs of users and items")
        names = _names(X)
        if (names is not None and "rating" in _roles(names)) or (isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == 3):
            raise InputError("ratings are given twice, as a column of X and as y: y goes with pairs of users and items")
        users, items = read_pairs(X, negative=False)
        return _not_empty(Ratings(users, items, _numbers(y, "y"), by_rows=True))
    return _not_empty(_read(X))


def has_values(X):
    """Whether something stands beside pairs of users and items, or X is a matrix."""
    if scipy.sparse.issparse(X) or getattr(getattr(X, "index", None), "nlevels", 1) == 2 and not _is_table(X):
        return True
    names = _names(X)
    if names is not None:
        return "rating" in _roles(names) or (len(names) > 2 and "user" not in _roles(names))
    if isinstance(X, (list, tuple)):
        return not (len(X) == 2 or (len(X) > 0 and np.ndim(X[0]) == 1 and len(X[0]) == 2 and len(X) != 3))
    return not (np.ndim(X) == 2 and np.shape(X)[1] == 2)


def _read(X):
    if scipy.sparse.issparse(X):
        return _from_sparse(X)
    if getattr(getattr(X, "index", None), "nlevels", 1) == 2 and not _is_table(X):
        users, items = _from_series(X)
        return Ratings(ids_of(users, "users"), ids_of(items, "items"), _numbers(X.to_numpy()), by_rows=True)
    if _names(X) is not None:
        return _from_table(X)
    if isinstance(X, (list, tuple)):
        columns = _columns_of(X, (3,), TAKEN)
        if columns[0] is X[0]:
            return _from_tuple(columns)
        return Ratings(ids_of(columns[0], "users"), ids_of(columns[1], "items"), _numbers(columns[2]), by_rows=True)
    if not isinstance(X, np.ndarray) and hasattr(X, "__array__") and np.ndim(X) > 0:
        X = np.asarray(X)
    if not isinstance(X, np.ndarray):
        raise InputError(f"ratings: found {type(X).__name__}, expected {TAKEN}")
    return _from_array(X if isinstance(X, np.ma.MaskedArray) else np.asarray(X))


def _not_empty(ratings):
    if not len(ratings.values):
        raise InputError("ratings: none, expected at least one")
    return ratings
