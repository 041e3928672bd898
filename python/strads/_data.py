"""X and what goes with it, as views for the compiled half."""

import sys
import warnings

import numpy as np
import scipy.sparse
from sklearn.utils.validation import assert_all_finite

from . import _strads
from ._errors import CopyWarning, InputError

_ANNOUNCED_BYTES = 1 << 20  # a smaller copy costs less than the warning
_IN_PLACE = ("f8", "f4", "i1", "u1", "b1")


def announce_copy(what, size, instead):
    """The warning names the line that called the package."""
    if size < _ANNOUNCED_BYTES:
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("strads."):
        level, frame = level + 1, frame.f_back
    warnings.warn(f"{what}: {size >> 20} MiB are copied; {instead}", CopyWarning, stacklevel=level)


class _Genotypes:
    """Genotypes on disk as X: mapped, never expanded. Rows are the samples of the files, columns their variants."""

    _option = ""

    def __init__(self, prefix, **options):
        self.prefix = str(prefix)
        self.options = options
        self._tables = None

    def __repr__(self):
        more = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"{type(self).__name__}({self.prefix!r}{more})"

    def _list(self):
        return [(self._option, self.prefix)] + [(n.replace("_", "-"), _text(v)) for n, v in self.options.items()]

    def _table(self, name):
        import pandas

        if self._tables is None:
            self._tables = _strads.genotype_tables(self._list())
        return pandas.DataFrame(self._tables[name])

    @property
    def samples(self):
        """A pandas.DataFrame of FID and IID, a row for each row of X."""
        return self._table("samples")

    @property
    def variants(self):
        """A pandas.DataFrame of id, chromosome, position, A1 (whose copies are counted) and A2, one for each column."""
        return self._table("variants")

    @property
    def shape(self):
        return len(self.samples), len(self.variants)

    def __len__(self):
        return self.shape[0]


class Bed(_Genotypes):
    """PLINK genotypes PREFIX.bed, .bim and .fam as X. `options`: those of `lasso fit` that say which samples and
    variants take part, for example `chr="22"` or `keep="people.txt"`."""

    _option = "bfile"


class Pgen(_Genotypes):
    """PLINK 2 genotypes PREFIX.pgen, .pvar and .psam as X; unpacked once, into a file beside them that later runs find
    again (or in the folder of the option `scratch`)."""

    _option = "pfile"


def is_on_disk(x):
    return isinstance(x, _Genotypes)


def _text(value):
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (list, tuple)):
        return ",".join(_text(one) for one in value)
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)


def option_list(options):
    """[(name, text)] of a dict, in which names may have _ for -, and None means the default."""
    return [(name.replace("_", "-"), _text(value)) for name, value in options.items() if value is not None]


def _whole(x):
    """A sparse matrix as sorted columns without zeros and repetitions, which may be `x` itself."""
    columns = x
    if not scipy.sparse.isspmatrix_csc(x):
        columns = scipy.sparse.csc_matrix(x)
        announce_copy("X is sparse, but not by columns", columns.data.nbytes, "give a scipy.sparse.csc_matrix")
    if columns.dtype not in (np.float64, np.float32):
        columns = columns.astype(np.float64)
        announce_copy("X is not of floats", columns.data.nbytes, "give float64 or float32")
    if not columns.has_canonical_format or not columns.data.all():
        columns = columns.copy() if columns is x else columns
        columns.sum_duplicates()
        columns.eliminate_zeros()
        announce_copy("X has unsorted or repeated entries, or stores zeros", columns.data.nbytes,
                      "call sum_duplicates() and eliminate_zeros() before")
    return columns


def _give_x(data, x):
    if scipy.sparse.issparse(x):
        columns = _whole(x)
        rows = columns.indices
        if rows.dtype.itemsize != 4:
            rows = rows.astype(np.int32)
            announce_copy("X has row numbers of 64 bits", rows.nbytes, "give int32 indices")
        data.set_sparse(columns.data, rows, columns.indptr, *columns.shape)
        return
    x = np.asarray(x)
    if x.dtype.str[1:] not in _IN_PLACE or not x.dtype.isnative:
        x = np.asfortranarray(x, dtype=np.float64)
        announce_copy("X is not of float64, float32, int8, uint8 or bool", x.nbytes, "convert it once")
    item, (rows, columns) = x.itemsize, x.shape
    by_columns = rows <= 1 or (x.strides[0] == item and (columns <= 1 or x.strides[1] >= item * rows))
    if not by_columns:
        x = np.asfortranarray(x)
        announce_copy("X is not in Fortran order", x.nbytes, "give numpy.asfortranarray(X)")
    elif columns <= 1 and not x.flags.f_contiguous:
        x = np.asfortranarray(x)
    data.set_dense(x)


def make_data(x, y=None, *, weights=None, folds=None):
    """Views of X (or none, where it is on disk) and of the columns that go with it."""
    data = _strads.Data()
    if not is_on_disk(x):
        _give_x(data, x)
    if y is not None:
        data.set_response("y", np.ascontiguousarray(y, dtype=np.float64))
    if weights is not None:
        data.set_weights(np.ascontiguousarray(weights, dtype=np.float64))
    if folds is not None:
        data.set_folds(np.ascontiguousarray(folds, dtype=np.uint32))
    return data


def explain(error, x):
    """An InputError about an entry of X, with what scikit-learn says of it: looked for only when something is wrong."""
    if isinstance(error, InputError) and not is_on_disk(x):
        try:
            assert_all_finite(x.data if scipy.sparse.issparse(x) else x, input_name="X")
        except ValueError as found:
            return InputError(f"{error} ({str(found).splitlines()[0]})")
    return error
