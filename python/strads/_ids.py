"""Ids of users and items: numbers or text, and the rows of a model that they have."""

import numpy as np

from ._errors import InputError

NUMBERS = "iuf"
_ROWS_SPARED = 65536  # numbers are taken for rows while so many, or three in four, are without ratings


def is_missing(value):
    """None, NaN, pandas.NA, NaT."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or (
        isinstance(value, (float, np.floating)) and value != value)


def first_missing(values):
    """A mask of what is missing in an array."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind == "O":
        return np.frompyfunc(is_missing, 1, 1)(values).astype(bool)
    return np.zeros(values.shape, dtype=bool)


def column_of(values):
    """An array of what is in a list, each value as it was: numpy would make text of numbers beside text."""
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _whole(values, what):
    """Floats that are whole numbers."""
    limit = 2.0 ** (np.finfo(values.dtype).nmant + 1)  # from here on floats have no place for every whole number
    if np.isfinite(values).any() and np.abs(values[np.isfinite(values)]).max() >= limit:
        raise InputError(f"{what}: found numbers of {limit:.0f} and more as {values.dtype}, in which different ids are one number; "
                         "give them as int64 or text")
    wrong = ~np.isfinite(values)
    wrong[~wrong] = values[~wrong] != np.floor(values[~wrong])
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        what_it_is = "missing" if np.isnan(values[first]) else repr(float(values[first]))
        raise InputError(f"{what}: entry {first} is {what_it_is}, expected whole numbers or text, the ids")
    return values.astype(np.int64)


def _of_objects(values, what):
    """Text, or numbers; not both: '7' and 7 would be one id."""
    kinds = set(map(type, values))
    if any(issubclass(kind, (bool, np.bool_)) for kind in kinds):
        raise InputError(f"{what}: found True or False, flags, expected ids")
    missing = first_missing(values)
    if missing.any():
        raise InputError(f"{what}: entry {int(np.flatnonzero(missing)[0])} is missing, expected an id; leave it out")
    if all(issubclass(kind, str) for kind in kinds):
        return column_of([str(one) for one in values])
    if all(issubclass(kind, bytes) for kind in kinds):
        return column_of([one.decode("utf-8", "surrogateescape") for one in values])
    if all(issubclass(kind, (int, np.integer)) for kind in kinds):
        if any(not -2**63 <= int(one) < 2**63 for one in values):
            raise InputError(f"{what}: found a number of more than 64 bits; give ids of that size as text")
        return np.array([int(one) for one in values], dtype=np.int64)
    if all(issubclass(kind, (int, float, np.integer, np.floating)) for kind in kinds):
        return _whole(values.astype(np.float64), what)
    names = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise InputError(f"{what}: found {names}, expected whole numbers or text, one of them for all")


def ids_of(values, what, negative=False):
    """Ids in one dimension: int64, or text as objects. `negative`: numbers below 0 are ids that nobody has."""
    if np.ma.is_masked(values):
        raise InputError(f"{what}: entry {int(np.flatnonzero(np.ma.getmaskarray(values))[0])} is masked; leave it out")
    found = np.asarray(values)
    if found.dtype.kind in "US" and isinstance(values, (list, tuple)):
        found = column_of(values)
    if found.ndim != 1:
        raise InputError(f"{what}: found an array of shape {found.shape}, expected ids in one dimension, an array or a list")
    kind = found.dtype.kind
    if not found.size:
        return np.zeros(0, dtype=np.int64)
    if kind == "b":
        raise InputError(f"{what}: found True and False, flags, expected ids")
    if kind == "u" and found.max() >= 2**63:
        raise InputError(f"{what}: found {found.max()}, expected numbers below 2^63; give larger ids as text")
    if kind == "f":
        ids = _whole(found, what)
    elif kind in "OUS":
        ids = _of_objects(found.astype(object) if kind != "O" else found, what)
    elif kind in "iu":
        ids = found.astype(np.int64)
    else:
        raise InputError(f"{what}: found {found.dtype}, expected whole numbers or text, the ids")
    if not negative and ids.dtype != object and ids.min() < 0:
        first = int(np.flatnonzero(ids < 0)[0])
        raise InputError(f"{what}: entry {first} is {ids[first]}, expected numbers from 0: -1 is what pandas.factorize and "
                         "category codes have where an id is missing; leave it out, or give ids as text")
    return ids


def _encoded(text, encoding, what):
    try:
        return text.encode(encoding, "surrogateescape" if encoding == "utf-8" else "strict")
    except UnicodeEncodeError:
        raise InputError(f"{what}: {text!r} has a character that cannot be written") from None


class Side:
    """Users or items of a model: row k of its arrays has the id ids[k]. Text of a file is UTF-8, or, where it is not,
    Latin-1, in which every byte is a character."""

    def __init__(self, what, ids, encoding="utf-8"):
        self.what, self.ids, self.encoding = what, ids, encoding
        self._rows = None  # made when it is first needed
        self.are_rows = ids.dtype != object and np.array_equal(ids, np.arange(len(ids)))
        self.known = np.ones(len(ids), dtype=bool)  # those that the model has

    def __len__(self):
        return len(self.ids)

    def __getstate__(self):
        return {**self.__dict__, "_rows": None}

    def names(self, rows):
        """Ids as the files have them, bytes."""
        if self.ids.dtype != object:
            return [str(one).encode() for one in self.ids[rows].tolist()]
        return [_encoded(one, self.encoding, self.what) for one in self.ids[rows].tolist()]

    def rows_of(self, ids):
        """Rows of ids, -1 where there is none. Numbers and their text are the same id."""
        if self.ids.dtype != object and ids.dtype != object:
            if self.are_rows:
                rows = np.where((ids >= 0) & (ids < len(self.ids)), ids, -1)
            else:
                order = self._order()
                rows = order[np.minimum(np.searchsorted(self.ids, ids, sorter=order), len(self.ids) - 1)]
                rows = np.where(self.ids[rows] == ids, rows, -1)
            return self._of_model(rows)
        if self._rows is None or not isinstance(self._rows, dict):
            self._rows = {str(one): row for row, one in enumerate(self.ids.tolist())}
        different, inverse = np.unique(ids, return_inverse=True)
        return self._of_model(np.array([self._row(one) for one in different.tolist()], dtype=np.int64)[inverse])

    def _of_model(self, rows):
        return np.where((rows >= 0) & self.known[rows], rows, -1)

    def _row(self, one):
        row = self._rows.get(str(one), -1)
        if row < 0 and isinstance(one, str) and self.encoding == "latin-1" and not one.isascii():
            # bytes that were given as such
            row = self._rows.get(one.encode("utf-8", "surrogateescape").decode("latin-1"), -1)
        return row

    def _order(self):
        if not isinstance(self._rows, np.ndarray):
            self._rows = np.argsort(self.ids, kind="stable")
        return self._rows


def numbered(what, ids, whole, by_number):
    """(lines, names, side): the row of each rating; ids as files have them, or [] where they are the rows; the side.
    `whole`: how many rows there are, or the ids of all, or None. `by_number`: numbers are those of rows, unless most of
    them would be empty."""
    if whole is not None and not np.isscalar(whole):
        return ids.astype(np.uint32), Side(what, whole).names(slice(None)), Side(what, whole)
    different, inverse = _factorized(ids)
    if by_number and ids.dtype != object:
        rows = int(whole) if whole is not None else int(different[-1]) + 1
        if rows <= 4 * len(different) + _ROWS_SPARED:
            return ids.astype(np.uint32), [], Side(what, np.arange(rows))
    side = Side(what, different)
    return inverse.astype(np.uint32), side.names(slice(None)), side


def _factorized(ids):
    """numpy.unique(ids, return_inverse=True), without sorting where numbers are not much larger than there are of them."""
    if ids.dtype == object or ids.max() > 8 * len(ids) + _ROWS_SPARED:
        return np.unique(ids, return_inverse=True)
    is_there = np.bincount(ids) > 0
    return np.flatnonzero(is_there), (np.cumsum(is_there) - 1)[ids]


def encoding_of(*lists):
    """That of the ids of a file."""
    try:
        for names in lists:
            for one in names:
                one.decode()
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _rows_of_numbers(names):
    """How many rows there are where the ids of a file are the numbers from 0 or 1 on with hardly a gap, else 0. Of row 7 one
    expects number 7 then, as of a matrix."""
    if not all(one.isdigit() and len(one) < 10 and (one[:1] != b"0" or one == b"0") for one in names):
        return 0
    largest = max(map(int, names))
    return largest + 1 if 10 * largest <= 11 * len(names) else 0


def decoded(what, names, encoding):
    """The side of ids of a file, in its order, or in that of the numbers that they are."""
    rows = _rows_of_numbers(names)
    ids = [str(k) for k in range(rows)] if rows else [one.decode(encoding) for one in names]
    return Side(what, column_of(ids), encoding)
