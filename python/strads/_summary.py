"""The Lasso on the results of a study and a reference panel."""

import os
import warnings

import numpy as np
import scipy.sparse
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from . import _strads
from ._base import StradsEstimator, seed_of, threads_of
from ._data import Inputs, is_on_disk, option_list
from ._errors import ConvergenceWarning, UsageError, outside
from ._texts import translated

_STATISTICS = ("r", "beta", "se", "p", "n", "frequency")
# Options of the files of those who choose, as the program calls them: all others would be of the panel.
_OF_VALIDATION = {"keep": "validate-keep", "pheno": "pheno", "pheno-name": "pheno-name"}


class SummaryLasso(StradsEstimator):
    """The Lasso for those who hold the results of a study and a panel of a few hundred people instead of the study's
    genotypes: of each shrinkage s the minimum of (1 - s)/2 |X b|^2 - r'b + s/2 |b|^2 + alpha sum_j w_j |b_j| at many alphas,
    where X are the panel's columns, centred and of unit norm, LD block by LD block. Every solution has a certificate."""

    def __init__(self, *, shrinks=(0.2, 0.5, 0.9, 1.0), eps=None, n_alphas=20, alphas=None, tol=None, n_jobs=None,
                 random_state=None, callback=None, cluster=None, options=None):
        self.shrinks = shrinks
        self.eps = eps
        self.n_alphas = n_alphas
        self.alphas = alphas
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.cluster = cluster
        self.options = options

    def fit(self, X, sumstats=None, *, r=None, beta=None, se=None, p=None, n=None, frequency=None, blocks=None,
            ld_blocks=None, validation=None):
        """Fits the path and chooses a solution of it.

        Parameters
        ----------
        X : the panel: strads.Bed or Pgen; or an array of people x variants, NaN is missing
        sumstats : path of the study's results, or paths (of different variants), as the program reads them; they are matched
            with the panel, which is a strads.Bed or Pgen then. None: arrays are given
        r, beta, se, p, frequency : n_features numbers each, NaN is unknown: correlation with the trait, or effect of a copy,
            its standard error, p value; frequency in the study. All are of the allele that the panel counts. What is known
            counts in this order: r, beta and se, beta and p
        n : people of the study, one number or n_features of them
        blocks : n_features labels, variants of one label are an LD block; None: ld_blocks, or a chromosome (of an array all)
        ld_blocks : path of a BED of LD blocks, for panels on disk
        validation : (X, y) of people who choose shrinkage and alpha, best R2; an array with the panel's columns, or a
            strads.Bed or Pgen, whose y may be None: its own. None: pseudo-validation, by the statistics alone

        Returns
        -------
        self
        """
        X, _, _ = self._begin(X, None)
        X = self._check_x(X, reset=True)
        options = dict(X.options) if is_on_disk(X) else {}
        given = [(X._option, X.path)] if is_on_disk(X) else []
        if sumstats is not None:
            if not is_on_disk(X):
                raise UsageError("sumstats: files are matched with a panel that has names: give strads.Bed or Pgen as X, or "
                                 "the statistics as arrays")
            one = isinstance(sumstats, (str, os.PathLike))
            options["sumstats"] = os.fspath(sumstats) if one else [os.fspath(path) for path in sumstats]
        arrays, people = self._arrays(sumstats, {"r": r, "beta": beta, "se": se, "p": p, "n": n, "frequency": frequency},
                                      blocks)
        options.update({"n": people, "ld_blocks": None if ld_blocks is None else os.fspath(ld_blocks)})
        more, chosen_by = self._validation(validation)
        given += more + option_list({**options, **self._problem(), **(self.options or {})})
        result = self._run(X, given, arrays, chosen_by)
        self._keep(result, X)
        return self._end(result)

    def _arrays(self, sumstats, arrays, blocks):
        """({name: array} or None, people of all variants or None)."""
        people = arrays["n"] if arrays["n"] is not None and np.ndim(arrays["n"]) == 0 else None
        found = {name: np.ascontiguousarray(values, dtype=np.float64) for name, values in arrays.items()
                 if values is not None and np.ndim(values) > 0}
        wrong = next((name for name, values in found.items() if values.ndim != 1), None)
        if wrong is not None:
            raise UsageError(f"{wrong}: found an array of shape {found[wrong].shape}, expected one dimension")
        if sumstats is not None:
            if found or blocks is not None:
                name = next(iter(found), "blocks")
                raise UsageError(f"{name}: statistics are given by sumstats, too; give one of the two")
            return None, people
        if blocks is not None:
            found["blocks"] = np.unique(np.asarray(blocks), return_inverse=True)[1].astype(np.uint32)
        return found, people

    def _validation(self, validation):
        """(options, views or None) of the people who choose."""
        if validation is None:
            return [], None
        try:
            x, y = validation
        except (TypeError, ValueError):
            raise UsageError("validation: expected (X, y)") from None
        if not is_on_disk(x):
            x = self._check_x(x, reset=False)
            if y is None:
                raise UsageError("validation: y is None, expected the trait of these people")
            return [], Inputs(x, y).views()
        options = {}
        for name, value in x.options.items():
            name = name.replace("_", "-")
            if name not in _OF_VALIDATION:
                raise UsageError(f"validation: found the option {name!r} of {x!r}, expected none but {', '.join(_OF_VALIDATION)}; "
                                 "read the genotypes of these people into an array, or write files of them alone")
            options[_OF_VALIDATION[name]] = value
        return [("validate-" + x._option, x.path), *option_list(options)], None if y is None else Inputs(x, y).views()

    def _problem(self):
        return {"shrink": [float(s) for s in np.atleast_1d(self.shrinks)], "lambda_min_ratio": self.eps,
                "lambdas": None if self.alphas is not None else self.n_alphas,
                "lambda": None if self.alphas is None else [float(one) for one in np.atleast_1d(self.alphas)],
                "tolerance": self.tol, "threads": threads_of(self.n_jobs), "seed": seed_of(self.random_state)}

    def _run(self, X, options, arrays, validation):
        panel = None if is_on_disk(X) else Inputs(X).views()

        def run(more, nodes):
            try:
                return _strads.fit_summary(options + more, arrays, panel, validation, self.callback, nodes)
            except (ValueError, RuntimeError) as error:
                raise translated(error, self, arrays is not None) from None

        if self.cluster is None:
            return run([], None)
        if arrays is not None or validation is not None:
            raise UsageError("cluster: its nodes do not see arrays; give sumstats and strads.Bed or Pgen")
        return self.cluster._run(run, lambda store: [])

    def _keep(self, result, X):
        self._keep_outcome(result, not is_on_disk(X))
        self._panel = X if is_on_disk(X) else None
        self.shrinks_, self.alphas_ = result["shrinks"], result["lambdas"]
        self.objectives_, self.gaps_, self.relative_gaps_ = result["objectives"], result["gaps"], result["worst"]
        self.n_nonzero_ = result["nonzeros"].astype(np.int64)
        shape = (self.n_features_in_, self.shrinks_.size * self.alphas_.size)
        places = result["variables"].astype(np.int64), result["starts"].astype(np.int64)
        self.coef_path_ = scipy.sparse.csc_matrix((result["coefficients"], *places), shape=shape)
        self.standardized_path_ = scipy.sparse.csc_matrix((result["standardized"], *places), shape=shape)
        self.variants_ = result["kept"].astype(np.int64)
        sizes = np.diff(result["begins"].astype(np.int64))
        self.blocks_ = np.repeat(np.arange(sizes.size), sizes)
        self.r_ = result["r"]
        self._means = np.zeros(self.n_features_in_)
        self._means[self.variants_] = result["means"]
        self.dropped_ = dict(result["dropped"])
        self.weights_, self.model_hash_ = result["weights"], result["model_hash"]
        choice = result["choice"]
        self.chosen_by_ = "none" if choice is None else choice["by"]
        self.measure_ = "" if choice is None else choice["measure"]
        measured = result["measured"] if choice is not None else np.full(self.gaps_.size, np.nan)
        self.measured_ = measured.reshape(self.gaps_.shape)
        point = None if choice is None else int(choice["point"])
        place = None if point is None else np.unravel_index(point, self.gaps_.shape)
        self.shrink_ = np.nan if point is None else float(self.shrinks_[place[0]])
        self.alpha_ = np.nan if point is None else float(self.alphas_[place[1]])
        self.coef_ = np.zeros(self.n_features_in_) if point is None else self._column(point)

    def _end(self, result, misses=()):
        if result["error"] is not None:
            raise result["error"]
        if not result["converged"]:
            warnings.warn(f"SummaryLasso: the tolerance was not met everywhere ({self.stop_reason_.replace('_', ' ')}); what was "
                          "found is kept, and gaps_ say how far from the optimum it may be", ConvergenceWarning,
                          stacklevel=outside())
        return self

    def _column(self, point):
        return self.coef_path_[:, [point]].toarray()[:, 0]

    def coef(self, shrink, alpha):
        """Effects of a copy of the solution at the shrinkage and the alpha of the grid that are nearest to these.

        Returns
        -------
        ndarray of float64 of shape (n_features,)
        """
        check_is_fitted(self)
        i = int(np.argmin(np.abs(self.shrinks_ - shrink)))
        return self._column(i * self.alphas_.size + int(np.argmin(np.abs(self.alphas_ - alpha))))

    def predict(self, X):
        """Scores of people by the chosen solution; a missing call counts as the mean.

        Parameters
        ----------
        X : array of people x variants, columns as in the panel; or strads.Bed or Pgen, whose variants are found by name (of a
            panel on disk).

        Returns
        -------
        ndarray of float64 of shape (n_samples,)
        """
        check_is_fitted(self)
        if is_on_disk(X):
            if self._panel is None:
                raise UsageError(f"{X!r}: the panel was an array, whose variants have no names; read X into an array, too")
            return self._predict_on_disk(self._state(), X, None, None)
        x = self._check_x(X, reset=False)
        values = x.data if scipy.sparse.issparse(x) else x
        if scipy.sparse.issparse(x) or values.dtype.kind != "f" or np.isfinite(values.sum(dtype=np.float64)):
            return safe_sparse_dot(x, self.coef_, dense_output=True)
        used = np.flatnonzero(self.coef_)
        own = np.asarray(x[:, used], dtype=np.float64)
        return np.where(np.isnan(own), self._means[used], own) @ self.coef_[used]

    def _state(self):
        """The chosen solution as a model that is found in files by the names of its variants."""
        names = self._panel.variants
        used = np.flatnonzero(self.coef_)
        columns = [names[one].to_numpy()[used] for one in ("id", "chromosome", "position", "A1", "A2")]
        variables = [(int(j), *map(str, own), float(self.coef_[j]), float(self._means[j]))
                     for j, *own in zip(used, *columns)]
        return ("trait", self.n_features_in_, True, True, 0.0, [], [], variables, "gaussian", ("", ""), False)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
