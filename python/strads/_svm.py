"""Linear support vector machines, of two classes and of more."""

import numpy as np
import scipy.sparse
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from . import _strads
from ._base import StradsEstimator, seed_of, threads_of
from ._data import Inputs, explain, is_on_disk, option_list
from ._errors import UsageError
from ._set_aside import check_quiet
from ._texts import translated


class LinearSVC(ClassifierMixin, StradsEstimator):
    """minimizes 1/2 ||w||^2 + C sum_i loss(y_i (w'x_i + b)) where b is the coefficient of a constant variable and part of w; of
    more than two classes for each against the rest. What LIBLINEAR minimizes, with a duality gap."""

    def __init__(self, penalty="l2", loss="squared_hinge", *, dual=True, tol=None, C=1.0, multi_class="ovr",
                 fit_intercept=True, intercept_scaling=1, class_weight=None, verbose=0, random_state=None, max_iter=None,
                 n_jobs=None, callback=None, cluster=None, options=None):
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.callback = callback
        self.cluster = cluster
        self.options = options

    def fit(self, X, y, sample_weight=None):
        """Fits the model.

        Parameters
        ----------
        X : array, sparse matrix or table, n_samples x n_features; strads.Bed, Pgen or File
            NumPy in Fortran order and scipy CSC are read where they lie, others copied once.
        y : a class for each sample
            On disk NaN: the sample takes no part.
        sample_weight : n_samples numbers of at least 0, or None
            C is multiplied with them.

        Returns
        -------
        self
        """
        X, _, _ = self._begin(X, None)
        inputs = self._check(X, y, sample_weight)
        result = self._run(inputs)
        self._keep(result, inputs)
        missed = result["relative_gap"] > (1e-6 if self.tol is None else self.tol)
        return self._end(result, [(f"C={float(self.C):g}", result["relative_gap"])] if missed else [])

    def _check(self, x, y, sample_weight):
        """What was given, checked; y as the places of classes. Sets classes_."""
        check_quiet(self.verbose)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        x = self._check_x(x, reset=True)
        y = column_or_1d(y, warn=True)
        missing = np.isnan(y) if is_on_disk(x) and y.dtype.kind == "f" else np.zeros(len(y), dtype=bool)
        known = y[~missing]
        check_classification_targets(known)
        if not is_on_disk(x):
            check_consistent_length(x, y)
        weights = self._check_weights(sample_weight, x)
        self.classes_, codes = np.unique(known, return_inverse=True)
        coded = np.full(len(y), np.nan)
        coded[~missing] = codes
        used = codes if weights is None else codes[weights[~missing] > 0]
        if len(np.unique(used)) < 2:
            raise ValueError("y has samples of one class only, expected two classes or more")
        absent = np.setdiff1d(np.arange(len(self.classes_)), used)
        if len(absent):
            raise ValueError(f"sample_weight: all samples of the class {self.classes_[absent[0]]!r} have the weight 0; leave them "
                             "out")
        # The program makes the mean of the weights 1.
        self._scale = 1.0 if weights is None else float(np.mean(weights[~missing][weights[~missing] > 0]))
        self._of_class = None
        if self.class_weight is not None:
            self._of_class = compute_class_weight(self.class_weight, classes=self.classes_, y=known)
        return Inputs(x, coded, weights=weights)

    def _problem(self):
        of_class = self._of_class
        return {
            "loss": self.loss,
            "cost": float(self.C) * self._scale,
            "bias": float(self.intercept_scaling) if self.fit_intercept else 0.0,
            "class_weights": None if of_class is None else ",".join(f"{k}={float(one)!r}" for k, one in enumerate(of_class)),
            "tolerance": self.tol,
            "max_rounds": self.max_iter,
            "threads": threads_of(self.n_jobs),
            "seed": seed_of(self.random_state),
        }

    def _run(self, inputs):
        every = inputs.options + option_list({**self._problem(), **(self.options or {})})

        def run(more, data, nodes):
            try:
                return _strads.fit_support_vectors(every + more, data, self.callback, nodes, inputs.on_disk)
            except (ValueError, RuntimeError) as error:
                raise explain(translated(error, self, not inputs.on_disk), inputs.x) from None

        if self.cluster is None:
            return run([], inputs.views(), None)
        return self.cluster._run(lambda more, nodes: run(more, None, nodes), inputs.files)

    def _keep(self, result, inputs):
        self._keep_outcome(result, not inputs.on_disk)
        self.coef_ = result["weights"].astype(self._precision(), copy=False)
        self.intercept_ = result["offsets"].astype(self._precision(), copy=False)
        self.objective_ = result["primal"]
        self.dual_gap_ = result["gap"]
        self.relative_gap_ = result["relative_gap"]
        self.n_support_ = int(result["support_vectors"])
        self.model_hash_ = result["model_hash"]
        self._means = result["means"]
        self._model = result["shape"]  # of data on disk

    def decision_function(self, X):
        """w'x + b: of two classes n_samples numbers, above 0 where the second is; of more n_samples x n_classes."""
        check_is_fitted(self)
        if is_on_disk(X):
            decisions = np.stack([self._predict_on_disk(self._state(k), X, None, None, quiet=k > 0)
                                  for k in range(len(self.intercept_))], axis=1)
        else:
            x = self._rows_to_predict(X, lambda: self._means)
            coefficients = self.coef_.toarray() if scipy.sparse.issparse(self.coef_) else self.coef_
            decisions = safe_sparse_dot(x, coefficients.T, dense_output=True) + self.intercept_
        return decisions[:, 0] if len(self.classes_) == 2 else decisions

    def predict(self, X):
        """The class of each sample."""
        check_is_fitted(self)
        decisions = self.decision_function(X)
        unknown = np.argwhere(np.isnan(decisions))
        if unknown.size:
            raise UsageError(f"X: row {unknown[0, 0]} takes no part and has no class")
        return self.classes_[(decisions > 0).astype(int) if decisions.ndim == 1 else np.argmax(decisions, axis=1)]

    def sparsify(self):
        """coef_ as scipy CSR, which is smaller where most coefficients are 0; predictions stay the same."""
        check_is_fitted(self)
        self.coef_ = scipy.sparse.csr_matrix(self.coef_)
        return self

    def densify(self):
        """coef_ as a numpy array again."""
        check_is_fitted(self)
        if scipy.sparse.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self

    def _state(self, plane):
        """A row of coef_ as a model that is found in a file by the names of its variables."""
        coefficients = self.coef_.toarray() if scipy.sparse.issparse(self.coef_) else self.coef_
        own, offset = coefficients[plane].astype(np.float64), float(self.intercept_[plane])
        if self._model is not None:
            shape = self._model
            variables = [(*one[:6], float(own[one[0]]), one[7]) for one in shape[7]]
            return (*shape[:4], offset, *shape[5:7], variables, *shape[8:])
        used = np.flatnonzero(own)
        variables = [(int(j), str(j + 1), "", "", "", "", float(own[j]), float(self._means[j])) for j in used]
        return ("y", self.n_features_in_, False, False, offset, [], [], variables, "gaussian", ("", ""), False)
