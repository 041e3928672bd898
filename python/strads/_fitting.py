"""From data to attributes, alike for all losses: one fit, and a cross-validation."""

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted


class FitMixin:
    """One fit. Of an estimator: _check(), _problem(), _penalty(), _keep_solution()."""

    def fit(self, X, y=None, sample_weight=None, *, covariates=None, penalty_factors=None):
        """Fits the model.

        X: numpy array in Fortran order (float32, float64, int8), scipy CSC matrix, strads.Bed, Pgen or File, n_samples x
        n_features; other arrays are copied once. y: n_samples numbers, or one of two classes for each sample; on disk
        None: their own; NaN: the sample takes no part. sample_weight: n_samples numbers >= 0. covariates: a table or
        array, n_samples x n_covariates, without penalty. penalty_factors: n_features numbers >= 0; 0: no penalty, inf:
        the column takes no part.
        """
        return self._fit(X, y, sample_weight, covariates=covariates, penalty_factors=penalty_factors)

    def _fit(self, X, y, sample_weight, **more):
        inputs = self._check(X, y, sample_weight, **more)
        if self._is_constant(inputs):
            return self._keep_constant(inputs)
        start = getattr(self, "_model", None) if getattr(self, "warm_start", False) else None
        result = self._call("fit", inputs, {**self._problem(), "lambda": self._penalty(inputs)}, start=start)
        self._keep_outcome(result)
        self._keep_solution(result, result["solution"], result["model"])
        return self._end(result)


def folds_of(cv, y, classifier):
    """The number of the fold in which each sample is held out, from what scikit-learn takes as `cv`."""
    splitter = check_cv(cv, y, classifier=classifier)
    folds = np.full(len(y), -1, dtype=np.int64)
    for number, (_, held_out) in enumerate(splitter.split(np.zeros((len(y), 1)), y)):
        if np.any(folds[held_out] >= 0):
            raise ValueError("cv: a sample is held out twice, expected each in one fold, as KFold has them")
        folds[held_out] = number
    if np.any(folds < 0):
        raise ValueError("cv: a sample is in no fold, expected each in one, as KFold has them")
    return folds


class CvMixin(FitMixin):
    """Cross-validation over one grid of folds, of one l1_ratio or of several. Of an estimator besides: _grid(),
    _keep_path(), _penalties(), _keep_choice(), _error_curve()."""

    def _deal(self, inputs):
        """Sets the folds of the samples, or returns options: on disk the command deals them by sample id, as `lasso cv`
        does."""
        if self.options and "folds" in self.options:
            return {}
        if inputs.on_disk or inputs.y is None:
            if self.cv is not None and not isinstance(self.cv, (int, str)):
                raise ValueError("cv: with data on disk a number of folds, or a file as --folds takes it")
            return {"folds": self.cv}
        inputs.folds = folds_of(self.cv, inputs.y, hasattr(self, "Cs"))
        return {}

    def _fit(self, X, y, sample_weight, **more):
        inputs = self._check(X, y, sample_weight, **more)
        if self._is_constant(inputs):
            return self._keep_constant(inputs)
        options, given = self._grid(inputs)
        dealt = self._deal(inputs)
        several = np.ndim(self._ratio()) > 0
        ratios = [float(ratio) for ratio in np.atleast_1d(self._ratio())]
        own = {"l1_ratio": ratios} if hasattr(self, "l1_ratio") else {}
        first = self._call("cv", inputs, {**self._problem(), **options, **dealt, **own}, given)
        results = [first, *first["others"]]
        whole = [k for k, result in enumerate(results) if len(result["mean"])]
        self._keep_outcome(first)
        if not whole:
            return self._end(first)
        sign = -1 if first["measure"] == "auc" else 1
        best = min(whole, key=lambda k: sign * results[k]["mean"][results[k]["least"]])
        self._keep_errors(results[best])
        if hasattr(self, "l1_ratio"):
            self.l1_ratio_ = ratios[best]
        if several:
            self._keep_grids(results)
        return self._end(first)

    def _keep_errors(self, result):
        self._keep_path(result)
        self.measure_ = result["measure"]
        self.standard_error_ = result["standard_error"]
        chosen = result["simplest" if self.choice == "1se" else "least"]
        self._keep_choice(result, chosen)
        self._keep_solution(result, result["path"][chosen], result["models"][chosen])

    def plot(self, ax=None, **how):
        """Mean error and its standard error against the penalty. Returns matplotlib's axes."""
        from ._plots import plot_cv

        check_is_fitted(self)
        return plot_cv(self, ax, **how)
