"""X and what goes with it, as views for the compiled half."""

import copy
import warnings

import numpy as np
import scipy.sparse
from sklearn.utils.validation import assert_all_finite

from . import _strads
from ._covariates import columns_of
from ._errors import CopyWarning, InputError, UsageError, outside
from ._parts import labels_of

_ANNOUNCED_BYTES = 1 << 20  # a smaller copy costs less than the warning
_IN_PLACE = ("f8", "f4", "i1", "u1", "b1")


def announce_copy(what, size, instead):
    """The warning names the line that called the package."""
    if size < _ANNOUNCED_BYTES:
        return
    warnings.warn(f"{what}: {size >> 20} MiB are copied; {instead}", CopyWarning, stacklevel=outside())


class _OnDisk:
    """X on disk: mapped by the fit itself. Rows are samples, columns variables."""

    _option = ""

    def __init__(self, path, **options):
        self.path = str(path)
        self.options = options

    def __repr__(self):
        more = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"{type(self).__name__}({self.path!r}{more})"

    def _list(self):
        return [(self._option, self.path)] + option_list(self.options)

    def _left_out(self):
        """Numbers of the rows that take no part by its own options, as keep and remove."""
        return np.array(_strads.rows_left_out(self._list()) if self.options else [], dtype=np.int64)

    def __array__(self, *_):
        # scikit-learn asks for it where it would choose rows.
        raise UsageError(f"{self!r} is on disk and has no rows to choose from: for a search by folds use LassoCV, "
                         "ElasticNetCV or LogisticRegressionCV, or read X into an array")


class File(_OnDisk):
    """A file as X, read by the fit itself: .npy, .npz, CSV, libsvm, Matrix Market, as --x of `lasso fit` takes it.
    `options`: those of `lasso fit` that say what is read, for example `y="y.csv"`, `id_column="id"` or `missing="mean"`."""

    _option = "x"


class _Genotypes(_OnDisk):
    """Genotypes on disk as X: mapped, never expanded. Rows are the samples of the files, columns their variants."""

    def __init__(self, prefix, **options):
        super().__init__(prefix, **options)
        self.prefix = self.path
        self._tables = None

    def _table(self, name):
        import pandas

        if self._tables is None:
            self._tables = _strads.genotype_tables(self._list())
        return pandas.DataFrame(self._tables[name])

    def _write_column(self, store, what, values):
        """A table of FID, IID and `values`, numbers with every digit, or words: what says something of samples with names goes by
        these."""
        if self._tables is None:
            self._tables = _strads.genotype_tables(self._list())
        samples = self._tables["samples"]
        if len(values) != len(samples["IID"]):
            raise InputError(f"{what}: found {len(values)} of them, expected {len(samples['IID'])}, one for each sample")
        coded = np.flatnonzero(values == -9) if what == "y" else []
        if len(coded):
            raise InputError(f"y: entry {coded[0]} is -9, which means missing in a table of phenotypes, by which nodes "
                             "of a cluster get it; give NaN where it is missing, else add a constant to y")

        def save(path):
            texts = [one if isinstance(one, str) else "NA" if np.isnan(one) else repr(one) for one in values.tolist()]
            rows = zip(samples["FID"], samples["IID"], texts)
            path.write_text(f"FID\tIID\t{what}\n" + "".join("\t".join(row) + "\n" for row in rows))

        return store.write(what, ".tsv", [values], save)

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
    return isinstance(x, _OnDisk)


def _text(value):
    if isinstance(value, (bool, np.bool_)):
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


def _sparse_usable(x):
    """By columns, with row numbers of 32 bits."""
    columns = _whole(x)
    rows = columns.indices
    if rows.dtype.itemsize != 4:
        rows = rows.astype(np.int32)
        announce_copy("X has row numbers of 64 bits", rows.nbytes, "give int32 indices")
    return columns, rows


def _dense_usable(x):
    """Numbers that are used where they lie, by columns."""
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
    return x


def _vector(values, name="y"):
    if values is None:
        return None
    values = np.asarray(values, dtype=np.float64)
    values = values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
    if values.ndim != 1:
        raise InputError(f"{name}: found an array of shape {values.shape}, expected one dimension")
    return np.ascontiguousarray(values)


class Inputs:
    """X and the columns that go with it: as views for a fit in this process, or as files for the nodes of a cluster."""

    def __init__(self, x, y=None, *, weights=None, offset=None, covariates=None, penalty_factors=None):
        self.x, self.y, self.weights = x, _vector(y), _vector(weights, "sample_weight")
        self.offset, self.penalty_factors = _vector(offset, "offset"), _vector(penalty_factors, "penalty_factors")
        self.covariates = columns_of(covariates)
        self.name, self.more_responses = "y", []
        self.folds = self.split = None
        self.on_disk = is_on_disk(x)

    def set_responses(self, columns):
        """[(name, numbers)]: the first is y."""
        (self.name, first), *more = columns
        self.y = _vector(first)
        self.more_responses = [(name, _vector(values)) for name, values in more]

    def set_split(self, parts):
        """Of parts_of(); None: there is none."""
        rows = None if self.on_disk or parts is None else self.x.shape[0]
        if rows is not None and len(parts) != rows:
            raise InputError(f"split: found {len(parts)} labels, expected {rows}, one for each row of X")
        self.split = parts

    def each_response(self):
        """One of these for each."""
        for name, values in [(self.name, self.y), *self.more_responses]:
            one = copy.copy(self)
            one.name, one.y, one.more_responses = name, values, []
            yield one

    @property
    def options(self):
        return self.x._list() if self.on_disk else []

    def views(self):
        """Nothing is copied that can stay."""
        data = _strads.Data()
        if scipy.sparse.issparse(self.x):
            columns, rows = _sparse_usable(self.x)
            data.set_sparse(columns.data, rows, columns.indptr, *columns.shape)
        elif not self.on_disk:
            data.set_dense(_dense_usable(self.x))
        if self.y is not None:
            data.set_response(self.name, self.y)
        for name, values in self.more_responses:
            data.add_response(name, values)
        for name, values in self.covariates:
            data.add_covariate(name, values)
        for name in ("weights", "offset", "penalty_factors"):
            if getattr(self, name) is not None:
                getattr(data, "set_" + name)(getattr(self, name))
        if self.folds is not None:
            data.set_folds(np.ascontiguousarray(self.folds, dtype=np.uint32))
        if self.split is not None:
            data.set_split(np.ascontiguousarray(self.split, dtype=np.uint8))
        return data

    def files(self, store):
        """Options that name files in place of what lies in memory: written by `store`, where all nodes see them."""
        options = [] if self.on_disk else [("x", self._file_of_x(store))]
        if self.covariates:
            raise InputError("covariates lie in the memory of this process, which the nodes of a cluster do not see; write "
                             "a table with ids, and give it by options={'covar': path}")
        with_ids = isinstance(self.x, _Genotypes)
        if with_ids and self.y is not None:
            options.append(("1", "on"))  # numbers are what they are: 0 is never a missing phenotype
        columns = {"pheno" if with_ids else "y": self.y, "weights": self.weights, "offset": self.offset}
        for option, values in columns.items():
            if values is None:
                continue
            what = {"weights": "sample_weight", "offset": "offset"}.get(option, "y")
            path = self.x._write_column(store, what, values) if with_ids else store.write(
                what, ".npy", [values], lambda file, values=values: np.save(file, values))
            options.append((option, path))
        if self.split is not None:
            words = np.array(labels_of(self.split))
            path = self.x._write_column(store, "split", words) if with_ids else store.write(
                "split", ".csv", [self.split], lambda file: file.write_text("\n".join(["split", *words]) + "\n"))
            options.append(("split", path))
        for option, values in (("penalty-factors", self.penalty_factors), ("folds", self.folds)):
            if values is not None:
                options.append((option, lines_file(store, option, values)))
        return options

    def _file_of_x(self, store):
        if scipy.sparse.issparse(self.x):
            columns, rows = _sparse_usable(self.x)
            whole = scipy.sparse.csc_matrix((columns.data, rows, columns.indptr), shape=columns.shape)
            return store.write("X", ".npz", [whole.data, rows, whole.indptr, np.array(whole.shape)],
                               lambda path: scipy.sparse.save_npz(path, whole, compressed=False))
        x = np.asfortranarray(_dense_usable(self.x))
        return store.write("X", ".npy", [x], lambda path: np.save(path, x))


def lines_file(store, what, values):
    """A number a line, every digit of it."""
    values = np.asarray(values)
    text = "".join(f"{value!r}\n" for value in values.tolist())
    return store.write(what, ".txt", [values], lambda path: path.write_text(text))


def explain(error, x):
    """An InputError about an entry of X, with what scikit-learn says of it: looked for only when something is wrong."""
    if isinstance(error, InputError) and not is_on_disk(x):
        try:
            assert_all_finite(x.data if scipy.sparse.issparse(x) else x, input_name="X")
        except ValueError as found:
            return InputError(f"{error} ({str(found).splitlines()[0]})")
    return error
