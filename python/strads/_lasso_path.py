"""The path of least squares, on which that of counts stands: of several responses and l1 ratios, and with a split."""

import numpy as np
import scipy.sparse
from sklearn.utils.validation import check_is_fitted

from . import _strads
from ._covariates import together
from ._data import is_on_disk
from ._errors import UsageError
from ._fitting import FitMixin
from ._linear import ElasticNet, _Path
from ._parts import parts_of
from ._several import best_places, error_of, of_response, refuse_of_several, until_error


class LassoPath(FitMixin, _Path):
    """The Lasso at many alphas, from the largest down, each with its certificate. Of several responses, or of several
    l1_ratio, `estimators_` has a path for each."""

    _of_one_penalty = ElasticNet
    _no_penalty = "0 out of alphas"

    def __init__(self, *, l1_ratio=1.0, eps=None, n_alphas=100, alphas=None, early_end=True, fit_intercept=True,
                 scale=False, positive=False, tol=None, max_iter=None, n_jobs=None, random_state=None, warm_start=False,
                 callback=None, cluster=None, options=None):
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.n_alphas = n_alphas
        self.alphas = alphas
        self.early_end = early_end
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.positive = positive
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.callback = callback
        self.cluster = cluster
        self.options = options

    def fit(self, X, y=None, sample_weight=None, *, covariates=None, penalty_factors=None, split=None, check_input=True):
        """As Lasso.fit(); y may have a column for each of several responses. split: 'train', 'val', 'test' or None (takes no
        part) for each sample, as the option split is of files: the path is that of those who train; those who validate choose,
        `best_estimator_` is fitted to both, and `split_scores_` says how good it is on those who test. Of several paths
        `best_index_` has the place of the best one of each response in `estimators_`."""
        return self._fit(X, y, sample_weight, covariates=covariates, penalty_factors=penalty_factors, split=split)

    def _fit(self, X, y, sample_weight, *, covariates=None, offset=None, split=None, **more):
        starts = self._starts()
        parts = parts_of(split)
        X, covariates, offset = self._begin(X, covariates, offset)
        inputs = self._check_parts(parts, X, y, sample_weight, covariates=covariates, offset=offset, **more)
        ratios = [float(ratio) for ratio in np.atleast_1d(self.l1_ratio)]
        results = self._paths(inputs, ratios, starts)
        self._keep_outcome(results[0], not inputs.on_disk)
        if len(results) == 1 and len(ratios) == 1 and not inputs.more_responses:
            self._keep_one(results[0])
        else:
            self._keep_several(results, not inputs.on_disk)
        misses = [(self._name_of(result, one, results), one["relative_gap"]) for result in results for one in result["path"]
                  if not one["converged"]]
        self.converged_ = bool(all(result["converged"] for result in results))
        return self._end({**results[0], "error": error_of(results), "converged": self.converged_}, misses)

    def _check_parts(self, parts, X, y, sample_weight, **more):
        inputs = self._check(X, y, sample_weight, **more)
        inputs.set_split(parts)
        return inputs

    def _name_of(self, result, solution, results):
        """What tells it from others of the fit."""
        more = "".join(f", {what}={result[key]}" for what, key in (("l1_ratio", "l1_ratio"), ("response", "response"))
                       if len({one[key] for one in results}) > 1)
        return self._named(result, solution) + more

    def _paths(self, inputs, ratios, starts):
        """By response, then by l1_ratio."""
        options, given = self._grid(inputs)
        options = {**self._problem(), **options}
        if 0.0 not in given and not self._projects(inputs):
            return self._runs("path", inputs, options, given, starts, ratios)
        if inputs.split is not None:
            raise UsageError(f"split: the path of what has no penalty is solved without it; leave {self._no_penalty}, and "
                             "columns without a penalty where there is no intercept")
        return until_error({**self._call("path", one, {**options, "l1_ratio": ratio}, given), "response": one.name,
                            "l1_ratio": ratio} for one in inputs.each_response() for ratio in ratios)

    def _keep_one(self, result):
        self._keep_path(result)
        split = result.get("split")
        if split is None:
            return
        self.measure_, self.val_scores_, self.chosen_ = split["measure"], split["validation"], int(split["chosen"])
        self._keep_chosen()
        refitted = split["refit"] is not None
        self.split_scores_ = {"val": split["on_val"], "test": split["on_test"],
                              "refit_test": split["refit_on_test"] if refitted else None}
        self.best_estimator_ = self._best(result, split, refitted)

    def _keep_chosen(self):
        self.alpha_ = float(self.alphas_[self.chosen_])

    def _chosen_penalty(self, split, refitted):
        """Parameters of a fit at the chosen penalty."""
        return {"alpha": self.alpha_}

    def _best(self, result, split, refitted):
        """The model of the chosen penalty, as a fit at it."""
        cls = self._of_one_penalty
        own = cls().get_params(deep=False)
        given = {name: value for name, value in self.get_params(deep=False).items() if name in own}
        best = cls(**{**given, **self._chosen_penalty(split, refitted), "l1_ratio": result["l1_ratio"],
                      "options": self._options_of_a_fit()})
        kept = ("n_iter_", "stop_reason_", "notes_", "seconds_", "config_", "converged_", "n_features_in_", "classes_",
                "feature_names_in_", "_labels", "_dtype", "_fills_missing", "_covariates_by_name", "_scale")
        vars(best).update({name: value for name, value in vars(self).items() if name in kept})
        if refitted:
            best._keep_solution({**result, "samples": split["train"] + split["val"]}, split["refit"], split["refit_model"])
        else:
            best._keep_solution(result, result["path"][self.chosen_], result["models"][self.chosen_])
        return best

    def _options_of_a_fit(self):
        """Those of the path that a fit at one alpha has, too; columns that are scaled are so by options there."""
        known = {option["name"] for option in _strads.options_of("fit")}
        scaled = {"scale": True, "lambda_scale": "y"} if getattr(self, "scale", False) else {}
        kept = {name: value for name, value in (self.options or {}).items() if name.replace("_", "-") in known}
        return {**scaled, **kept} or None

    def _keep_several(self, results, in_memory):
        each = []
        for result in results:
            one = of_response(self, result)
            one.l1_ratio = result["l1_ratio"]
            one._keep_outcome(result, in_memory)
            one._keep_one(result)
            each.append(one)
        self._keep_each(each)

    def _keep_each(self, each):
        self.estimators_ = each
        if all(hasattr(one, "best_estimator_") for one in each):
            self.best_index_ = best_places(each)

    @property
    def coefs_(self):
        """n_features x n_alphas, dense, as sklearn.linear_model.lasso_path returns it; n_Cs of LogisticRegressionPath."""
        refuse_of_several(self, "coefs_")
        check_is_fitted(self, "coef_path_")
        return self.coef_path_.toarray()

    def predict(self, X, *, covariates=None):
        """n_samples x n_alphas, of several paths a list of these. covariates: those of the fit, for these samples."""
        return self._links(X, covariates)

    def _links(self, X, covariates, offset=None):
        """X beta of every alpha with all that is added: n_samples x n_alphas, of several paths a list of these."""
        if hasattr(self, "estimators_"):
            return [one._links(X, covariates, offset) for one in self.estimators_]
        check_is_fitted(self, "coef_path_")
        X, covariates, offset = together(X, covariates, offset)
        if offset is not None and not self._has_offset:
            raise UsageError("the model was fitted without offsets; leave them out")
        if is_on_disk(X):
            largest = max(self._models, key=lambda model: len(model[7]))
            return np.stack([self._predict_on_disk(model, X, covariates, offset, model is not largest)
                             for model in self._models], axis=1)
        x = self._rows_to_predict(X, lambda: self._training_means(self._models))
        product = x @ self.coef_path_
        product = product.toarray() if scipy.sparse.issparse(product) else np.asarray(product)
        return product + self.intercepts_ + self._on_rows(covariates, offset, x.shape[0])

    def _penalty_axis(self):
        return "alpha", self.alphas_

    def plot(self, ax=None, **how):
        """Coefficients against alpha, or C: the largest penalty is left. Returns matplotlib's axes."""
        from ._plots import plot_path

        refuse_of_several(self, "plot")
        check_is_fitted(self, "coef_path_")
        return plot_path(self, ax, **how)
