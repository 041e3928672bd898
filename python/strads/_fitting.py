"""From data to attributes, alike for all losses: one fit, and a cross-validation."""

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from ._cv import Splits, by_splits, is_better_large, scorer_of
from ._errors import UsageError
from ._params import ParameterError
from ._several import all_of, error_of, fit_each, keep_each, of_response, refuse_of_several, until_error


class FitMixin:
    """One fit. Of an estimator: _check(), _problem(), _penalty(), _keep_solution()."""

    def fit(self, X, y=None, sample_weight=None, *, covariates=None, penalty_factors=None, check_input=True):
        """Fits the model.

        Parameters
        ----------
        X : array, sparse matrix or table, n_samples x n_features; strads.Bed, Pgen, File or WithCovariates
            NumPy in Fortran order (float32, float64, int8) and scipy CSC are used where they lie, others copied once.
        y : n_samples numbers, or one of two classes for each sample
            On disk None: that of the files; NaN: the sample takes no part.
        sample_weight : n_samples numbers of at least 0, or None
        covariates : table or array, n_samples x n_covariates, or None
            Without penalty. Columns of a table are found by name when it is predicted, those of an array by position.
        penalty_factors : n_features numbers of at least 0, or None
            The penalty of a column is alpha times its factor; 0: no penalty, inf: the column takes no part.
        check_input : bool, default=True
            Changes nothing: what is given is looked at in any case.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, covariates=covariates, penalty_factors=penalty_factors)

    def _starts(self):
        """Models that a fit with warm_start begins with: one, or of several fits that of each; of a path that of its smallest
        penalty. Read before they are taken down."""
        if not getattr(self, "warm_start", False):
            return []
        found = []
        for one in getattr(self, "estimators_", [self]):
            model = getattr(one, "_model", None) or next(reversed(getattr(one, "_models", None) or [None]))
            # Names are what is matched.
            found.append(model if model is not None and all(variable[1] for variable in model[7]) else None)
        return found

    @staticmethod
    def _start_of(starts, inputs, place=0, count=1):
        """That of the fit at `place` among `count`, or None: as many as before have each its own."""
        start = starts[place if len(starts) == count else 0] if len(starts) in (1, count) else None
        return None if start is not None and not inputs.on_disk and start[1] != inputs.x.shape[1] else start  # other columns

    def _fit(self, X, y, sample_weight, *, covariates=None, offset=None, **more):
        starts = self._starts()
        X, covariates, offset = self._begin(X, covariates, offset)
        more.update({"covariates": covariates, **({} if offset is None else {"offset": offset})})
        inputs = self._check(X, y, sample_weight, **more)
        if not inputs.more_responses:
            return self._fit_one(inputs, self._start_of(starts, inputs))
        each = list(inputs.each_response())
        fit_each(self, [one.name for one in each],
                 lambda one, k: one._fit_one(each[k], self._start_of(starts, inputs, k, len(each))))
        self.n_iter_ = [one.n_iter_ for one in self.estimators_]
        return self

    def _runs(self, command, inputs, options, given, starts, ratios=None):
        """Results by response, then by l1 ratio: of one run, or of one for each where each has a start of its own, where nodes
        get y as a file, which has one response, and where several y lie in memory beside files."""
        own = [{} if ratio is None else {"l1_ratio": ratio} for ratio in ratios or [None]]
        responses = len(inputs.more_responses) + 1
        if responses > 1 and len(starts) == responses:
            starts = [start for start in starts for _ in own]
        has_own_starts = inputs.y is not None and len(starts) > 1 and len(starts) == responses * len(own)
        one_by_one = inputs.more_responses and (inputs.on_disk or self.cluster is not None)
        if not has_own_starts and not one_by_one:
            more = {} if ratios is None else {"l1_ratio": ratios}
            return all_of(self._call(command, inputs, {**options, **more}, given, self._start_of(starts, inputs)))
        calls = [(one, each) for one in inputs.each_response() for each in own]
        return until_error(self._call(command, one, {**options, **each}, given, self._start_of(starts, inputs, k, len(calls)))
                           for k, (one, each) in enumerate(calls))

    def _fit_one(self, inputs, start):
        if self._is_constant(inputs):
            return self._keep_constant(inputs)
        fitted = self._without_penalty(inputs)
        if fitted is None:
            result = self._call("fit", inputs, {**self._problem(), "lambda": self._penalty(inputs)}, start=start)
            fitted = result, result["solution"], result["model"]
        result, solution, model = fitted
        self._keep_outcome(result, not inputs.on_disk)
        self._keep_solution(result, solution, model)
        return self._end(result, [] if solution["converged"] else [(self._asked(), solution["relative_gap"])])


class CvMixin(FitMixin):
    """Cross-validation over one grid of folds, of one l1_ratio or of several. Of an estimator besides: _grid(),
    _keep_path(), _keep_choice(), _keep_grids(), _error_curve()."""

    def fit(self, X, y=None, sample_weight=None, *, groups=None, covariates=None, penalty_factors=None):
        """As Lasso.fit(). groups: n_samples labels for a splitter that goes by groups, as cv=GroupKFold()."""
        return self._fit(X, y, sample_weight, groups=groups, covariates=covariates, penalty_factors=penalty_factors)

    def _deal(self, inputs, groups):
        """(options, splits): on disk the command deals folds by sample id, as `lasso cv` does."""
        if self.options and "folds" in self.options:
            return {}, None
        is_number = self.cv is None or isinstance(self.cv, (int, np.integer))
        if inputs.y is None or (inputs.on_disk and (is_number or isinstance(self.cv, str))):
            if not is_number and not isinstance(self.cv, str):
                raise UsageError("cv: with y on disk a number of folds, or the file of them")
            return {"folds": self.cv}, None
        if isinstance(self.cv, str):
            raise ParameterError(f"The 'cv' parameter of {type(self).__name__} must be an int of at least 2, a splitter of "
                                 f"scikit-learn, an iterable of (rows to fit, rows held out) or None; a file of folds goes with "
                                 f"data on disk. Got {self.cv!r} instead.")
        return {}, Splits(self.cv, inputs.y, groups, is_classifier(self))

    def _fit(self, X, y, sample_weight, *, groups=None, covariates=None, offset=None, **more):
        starts = self._starts()
        X, covariates, offset = self._begin(X, covariates, offset)
        more.update({"covariates": covariates, **({} if offset is None else {"offset": offset})})
        inputs = self._check(X, y, sample_weight, **more)
        each = list(inputs.each_response())
        if len(each) > 1 and any(map(self._is_constant, each)):  # the program has no grid for it
            dealt = self._deal(inputs, groups)
            return fit_each(self, [one.name for one in each],
                            lambda one, k: one._fit_dealt(each[k], dealt, [self._start_of(starts, inputs, k, len(each))]))
        if len(each) == 1 and self._is_constant(inputs):
            return self._keep_constant(inputs)
        return self._fit_dealt(inputs, self._deal(inputs, groups), starts)

    def _fit_dealt(self, inputs, dealt, starts):
        if not inputs.more_responses and self._is_constant(inputs):
            return self._keep_constant(inputs)
        ratios = [float(ratio) for ratio in np.atleast_1d(self._ratio())]
        results = self._validate(inputs, *dealt, ratios, starts)
        responses = [results[k:k + len(ratios)] for k in range(0, len(results), len(ratios))]
        if len(responses) == 1 and not inputs.more_responses:
            return self._keep_results(inputs, results, ratios)
        error = error_of(results)
        for result in results:
            result["error"] = None
        self._keep_outcome(results[0], not inputs.on_disk)
        keep_each(self, [of_response(self, own[0])._keep_results(inputs, own, ratios) for own in responses])
        if error is not None:
            raise error
        return self

    def _keep_results(self, inputs, results, ratios):
        """Those of one response, by ratio."""
        first = {**results[0], "error": error_of(results)}
        whole = [k for k, result in enumerate(results) if len(result["mean"])]
        self._keep_outcome(first, not inputs.on_disk)
        if not whole:
            return self._end(first)
        sign = -1 if is_better_large(first["measure"]) else 1
        best = min(whole, key=lambda k: sign * results[k]["mean"][results[k]["least"]])
        self._keep_errors(results[best])
        if hasattr(self, "l1_ratio"):
            self.l1_ratio_ = ratios[best]
        self.converged_ = bool(all(result["converged"] for result in results))
        if np.ndim(self._ratio()) > 0:
            self._keep_grids(results)
        return self._end({**first, "converged": self.converged_}, self._misses(results, ratios))

    def _validate(self, inputs, dealt, splits, ratios, starts):
        """The results of each response at each ratio: by `lasso cv` where it can, else split by split."""
        scorer = scorer_of(self, self._scoring())
        options, given = self._grid(inputs)
        options = {**self._problem(), **options}
        folds = None if splits is None else splits.folds()
        has_ratio = hasattr(self, "l1_ratio")
        unpenalised = 0.0 in given
        if scorer is None and (splits is None or folds is not None) and not unpenalised and not self._projects(inputs):
            inputs.folds = folds
            return self._runs("cv", inputs, {**options, "measure": self._scoring(), **dealt}, given, starts,
                              ratios if has_ratio else None)
        if unpenalised and (splits is None or inputs.on_disk):
            what = "0 out of alphas" if hasattr(self, "alphas") else "inf out of Cs"
            raise UsageError(f"what has no penalty is fitted in memory, one split after the other: leave {what}, or read X "
                             "into an array and say by cv who is held out")
        if splits is None or inputs.on_disk:
            raise UsageError("with data on disk every sample is held out once, and scoring is one of our measures; read X "
                             "into an array for other splits and scorers")
        name = self._scoring() if isinstance(self._scoring(), str) else "score"
        return until_error(
            by_splits(self, one, splits, scorer, name, {**options, **({"l1_ratio": ratio} if has_ratio else {})}, given)
            for one in inputs.each_response() for ratio in ratios)

    def _without_grid(self, options):
        """For a path of given penalties."""
        rest = {name: value for name, value in options.items() if name not in ("lambdas", "lambda_min_ratio")}
        return {**rest, "lambda_scale": self._lambda_scale()}

    def _misses(self, results, ratios):
        misses = []
        for ratio, result in zip(ratios, results):
            of_ratio = f", l1_ratio={ratio:g}" if len(ratios) > 1 else ""
            paths = [("", result["path"])] + [(f" without fold {k}", fold) for k, fold in enumerate(result["folds"])]
            # A fold has the same penalty per sample: it is named by that of all samples.
            names = [self._named(result, one) for one in result["path"]]
            misses += [(f"{name}{of_ratio}{where}", one["relative_gap"])
                       for where, path in paths for name, one in zip(names, path) if not one["converged"]]
        return misses

    def _keep_errors(self, result):
        self._keep_path(result)
        self.measure_ = result["measure"]
        self.standard_error_ = result["standard_error"]
        self.mean_score_, self.scores_ = result["mean"], np.array(result["fold_errors"]).T
        width = len(result["path"])
        self.fold_converged_ = np.array([[k < len(fold) and fold[k]["converged"] for k in range(width)]
                                         for fold in result["folds"]]).T
        chosen = result["simplest" if self.choice == "1se" else "least"]
        self._keep_choice(result, chosen)
        self._keep_solution(result, result["path"][chosen], result["models"][chosen])

    def plot(self, ax=None, **how):
        """Mean error and its standard error against the penalty. Returns matplotlib's axes."""
        from ._plots import plot_cv

        check_is_fitted(self)
        refuse_of_several(self, "plot")
        return plot_cv(self, ax, **how)
