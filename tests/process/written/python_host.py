"""Runs the Python package on a problem, in this process, and looks at the attributes of what was fitted."""
import warnings

import numpy as np
import scipy.sparse

from checks import (MAX_SECONDS, Misses, Row, check_order, check_row, check_separated, check_time, fold_standards,
                    judge_refusal, short)
from objective import EPS, K, Standard, wide


class PythonHost:
    """`misses` has what was wrong; `command` says how the estimator was called."""

    def __init__(self, problem):
        self.problem, self.misses, self.command = problem, Misses(), ""
        self.rng = np.random.default_rng([37, problem.seed])

    def data(self):
        q = self.problem
        if q.container == "npz":
            return scipy.sparse.csc_matrix(q.x)
        if q.container == "int8":
            return np.asfortranarray(q.x.astype(np.int8))
        return np.ascontiguousarray(q.x) if q.container == "npy_c" else np.asfortranarray(q.x)

    def folds(self):
        from sklearn.model_selection import PredefinedSplit

        return PredefinedSplit(self.problem.fold_of)

    def estimator(self, standard):
        import strads

        q = self.problem
        common = {"fit_intercept": q.intercept, "tol": q.tolerance, "n_jobs": 1, "random_state": q.seed,
                  "options": {"max_seconds": MAX_SECONDS}}
        lam = float(standard.lambda_max()) * q.lambda_value
        if q.family == "binomial":
            of_weights = 1.0 if q.weights is None else np.count_nonzero(q.weights) / q.weights.sum()
            common["l1_ratio"] = q.l1_ratio
            if q.nonnegative:
                common["options"]["nonnegative"] = "on"
            if q.kind == "fit":
                return strads.LogisticRegression(of_weights / lam, **common)
            grid = {"Cs": q.lambdas, "eps": q.min_ratio or 1e-3}
            if q.given:
                grid = {"Cs": [of_weights / (float(standard.lambda_max()) * one) for one in q.given]}
            return strads.LogisticRegressionCV(cv=self.folds(), choice=str(self.rng.choice(["min", "1se"])), **grid, **common)
        common["positive"] = q.nonnegative
        if q.l1_ratio == 1:
            common["scale"] = q.scale
        alpha = lam / (np.sqrt(standard.n) if q.scale else standard.n)
        if q.kind == "fit":
            return strads.Lasso(alpha, **common) if q.l1_ratio == 1 else strads.ElasticNet(alpha, l1_ratio=q.l1_ratio, **common)
        grid = {"n_alphas": q.lambdas, "eps": q.min_ratio or 1e-3, "early_end": q.early_end}
        if q.given:
            grid = {"alphas": [alpha / q.lambda_value * one for one in q.given]}
        if q.kind == "path":
            return strads.LassoPath(**grid, **common)
        return strads.LassoCV(cv=self.folds(), choice=str(self.rng.choice(["min", "1se"])), **grid, **common)

    def check(self):
        q = self.problem
        standard = Standard(q)
        if not standard.null[2]:
            if not standard.separated():
                self.misses.add("the null model is not known to this test")
            return
        if not standard.lambda_max() > 0:
            return
        estimator = self.estimator(standard)
        beside = {"sample_weight": q.weights, "penalty_factors": q.factors}
        if q.covariates.shape[1]:
            beside["covariates"] = q.covariates
        if q.offset is not None:
            beside["offset"] = q.offset
        x = self.data()
        self.command = f"strads.{estimator!r}.fit(x, y, {', '.join(k for k, v in beside.items() if v is not None)})"
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                estimator.fit(x, q.y, **beside)
            except Exception as error:
                judge_refusal([standard, *fold_standards(standard)], f"{type(error).__name__}: {error}", self.misses)
                return
        check_separated(standard, self.misses)
        warned = any(type(one.message).__name__ == "ConvergenceWarning" for one in said)
        rows = self.rows(estimator, standard)
        models = [check_row(standard, row, self.misses, q.tolerance) for row in rows]
        if q.kind == "path":
            check_order(standard, rows, models, self.misses)
        late = [row.name for row, model in zip(rows, models)
                if row.gap is not None and row.gap > (q.tolerance + 1e-12) * model.objective + model.rounding]
        if late and not warned:
            self.misses.add("no ConvergenceWarning", late[:3])
        check_time(estimator.stop_reason_, self.misses)
        self.check_prediction(estimator, x, rows, models)

    def rows(self, estimator, standard):
        q = self.problem
        if q.kind == "path":
            coefs = estimator.coefs_
            gammas = np.asarray(estimator.covariate_coef_).reshape(q.covariates.shape[1], coefs.shape[1])
            unit = np.sqrt(standard.n) if q.scale else standard.n
            return [self.row(f"alpha {k + 1}", estimator.alphas_[k] * unit, coefs[:, k], estimator.intercepts_[k], gammas[:, k],
                             estimator.dual_gaps_[k] * standard.n, None, estimator.explained_[k])
                    for k in range(coefs.shape[1])]
        if q.family == "binomial":
            of_weights = 1.0 if q.weights is None else np.count_nonzero(q.weights) / q.weights.sum()
            lam = of_weights / (estimator.C if q.kind == "fit" else estimator.C_)
            gap = estimator.dual_gap_ * of_weights
        else:
            if q.kind == "fit":
                alpha = estimator.alpha
            else:
                alpha = estimator.alpha_1se_ if estimator.choice == "1se" else estimator.alpha_
            lam = alpha * (np.sqrt(standard.n) if q.scale else standard.n)
            gap = estimator.dual_gap_ * standard.n
        return [self.row(q.kind, lam, np.ravel(estimator.coef_), float(np.ravel(estimator.intercept_)[0]),
                         np.ravel(estimator.covariate_coef_), gap, estimator.relative_gap_, None)]

    @staticmethod
    def row(name, lam, coef, intercept, gamma, gap, relative, explained):
        columns = np.flatnonzero(coef)
        objective = gap / relative if relative and gap > 0 and relative > 1e-300 else None
        return Row(name, lam, intercept, list(columns), list(coef[columns]), list(gamma), objective=objective, gap=gap,
                   deviance_ratio=explained)

    def check_prediction(self, estimator, x, rows, models):
        q = self.problem
        beside = {"covariates": q.covariates} if q.covariates.shape[1] else {}
        if q.family == "binomial":
            if q.offset is not None:
                beside["offset"] = q.offset
            said = estimator.decision_function(x, **beside)[:, None]
        else:
            said = estimator.predict(x, **beside).reshape(q.n, -1)
        for k, model in enumerate(models):
            off = np.abs(said[model.standard.rows, k].astype(wide) - model.eta)
            if np.any(off > K * EPS * model.size):
                self.misses.add("predict", rows[k].name, short(off.max()))
