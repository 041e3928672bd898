"""scikit-learn's conventions, and its numbers."""

import pickle
import unittest
import warnings

import numpy as np
import sklearn.linear_model as theirs
import sklearn.svm as theirs_svm
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import strads
from support import PROGRAMS, problem

ONE = {"n_jobs": 1}


class Conventions(unittest.TestCase):
    def check(self, estimator):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            failed = {}
            for candidate, check in check_estimator(estimator, generate_only=True):
                name = getattr(check, "func", check).__name__
                try:
                    check(candidate)
                except unittest.SkipTest:
                    pass
                except Exception as error:  # all of them are shown together
                    failed[name] = f"{type(error).__name__}: {error}"
        self.assertEqual(failed, {})

    def test_lasso(self):
        self.check(strads.Lasso(**ONE))

    def test_elastic_net(self):
        self.check(strads.ElasticNet(**ONE))

    def test_lasso_cv(self):
        self.check(strads.LassoCV(n_alphas=10, cv=3, **ONE))

    def test_elastic_net_cv(self):
        self.check(strads.ElasticNetCV(n_alphas=5, cv=3, **ONE))

    def test_logistic_regression(self):
        self.check(strads.LogisticRegression(**ONE))

    def test_logistic_regression_cv(self):
        self.check(strads.LogisticRegressionCV(Cs=5, cv=3, **ONE))

    def test_poisson_lasso(self):
        self.check(strads.PoissonLasso(**ONE))

    def test_poisson_lasso_cv(self):
        self.check(strads.PoissonLassoCV(n_alphas=5, cv=3, **ONE))

    def test_linear_svc(self):
        self.check(strads.LinearSVC(**ONE))
        self.check(strads.LinearSVC(loss="hinge", **ONE))

    def test_clone_pipeline_and_grid_search(self):
        x, y = problem(features=20)
        search = GridSearchCV(make_pipeline(StandardScaler(), strads.Lasso(**ONE)), {"lasso__alpha": [0.01, 0.1, 10.0]})
        search.fit(x, y)
        self.assertIn(search.best_params_["lasso__alpha"], (0.01, 0.1))
        copied = clone(strads.Lasso(0.3, options={"workers": 2}))
        self.assertEqual((copied.alpha, copied.options), (0.3, {"workers": 2}))

    def test_pickle_after_a_cross_validation(self):
        x, y = problem()
        fitted = strads.LassoCV(n_alphas=10, cv=3, **ONE).fit(x, y)
        again = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_array_equal(again.predict(x), fitted.predict(x))
        self.assertEqual(again.alpha_, fitted.alpha_)

    def test_names_of_a_table(self):
        import pandas

        x, y = problem(features=3)
        table = pandas.DataFrame(x, columns=["a", "b", "c"])
        fitted = strads.Lasso(0.01).fit(table, y)
        self.assertEqual(list(fitted.feature_names_in_), ["a", "b", "c"])
        self.assertEqual(fitted.n_features_in_, 3)


class SameNumbers(unittest.TestCase):
    """With tolerances of their own: our relative gap, their share of ||y||^2."""

    def near(self, found, expected):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * max(1.0, np.abs(expected).max()))

    def test_lasso(self):
        x, y = problem()
        for intercept in (True, False):
            for positive in (True, False):
                a = strads.Lasso(0.1, fit_intercept=intercept, positive=positive, tol=1e-13).fit(x, y)
                b = theirs.Lasso(0.1, fit_intercept=intercept, positive=positive, tol=1e-13, max_iter=100000).fit(x, y)
                self.near(a.coef_, b.coef_)
                self.near(a.intercept_, b.intercept_)

    def test_elastic_net(self):
        x, y = problem()
        for ratio in (0.2, 0.9):
            a = strads.ElasticNet(0.2, l1_ratio=ratio, tol=1e-13).fit(x, y)
            b = theirs.ElasticNet(0.2, l1_ratio=ratio, tol=1e-13, max_iter=100000).fit(x, y)
            self.near(a.coef_, b.coef_)
            self.near(a.intercept_, b.intercept_)

    def test_an_elastic_net_without_l1_norm_is_ridge(self):
        x, y = problem()
        a = strads.ElasticNet(0.2, l1_ratio=0, tol=1e-13).fit(x, y)
        b = theirs.Ridge(0.2 * len(y), solver="cholesky").fit(x, y)
        self.near(a.coef_, b.coef_)
        self.near(a.intercept_, b.intercept_)

    def test_weights(self):
        x, y = problem()
        weights = np.random.default_rng(0).integers(0, 4, size=60).astype(float)
        a = strads.Lasso(0.1, tol=1e-13).fit(x, y, sample_weight=weights)
        b = theirs.Lasso(0.1, tol=1e-13, max_iter=100000).fit(x, y, sample_weight=weights)
        self.near(a.coef_, b.coef_)

    def test_scale_is_a_scaler_before_the_lasso(self):
        x, y = problem()
        x = x * np.linspace(1, 5, x.shape[1])
        scaler = StandardScaler().fit(x)
        b = theirs.Lasso(0.1, tol=1e-13, max_iter=100000).fit(scaler.transform(x), y)
        a = strads.Lasso(0.1, scale=True, tol=1e-13).fit(x, y)
        self.near(a.coef_ * scaler.scale_, b.coef_)

    def test_dual_gap_is_in_their_units(self):
        x, y = problem()
        with self.assertWarns(ConvergenceWarning):  # far from the optimum
            a = strads.Lasso(0.01, max_iter=1).fit(x, y)

        def objective(coefficients, intercept):
            rest = y - x @ coefficients - intercept
            return rest @ rest / (2 * len(y)) + 0.01 * np.abs(coefficients).sum()

        b = theirs.Lasso(0.01, tol=1e-13, max_iter=100000).fit(x, y)
        excess = objective(a.coef_, a.intercept_) - objective(b.coef_, b.intercept_)
        self.assertGreater(excess, 1e-4)
        self.assertLessEqual(excess, a.dual_gap_)
        self.assertLess(a.dual_gap_, 1e3 * excess)

    def test_cross_validation(self):
        x, y = problem(samples=80, features=30)
        a = strads.LassoCV(n_alphas=30, tol=1e-12).fit(x, y)
        b = theirs.LassoCV(n_alphas=30, tol=1e-12, max_iter=100000).fit(x, y)
        np.testing.assert_allclose(a.alphas_, b.alphas_, rtol=1e-9)
        np.testing.assert_allclose(a.mse_path_, b.mse_path_, rtol=1e-5)
        self.assertAlmostEqual(a.alpha_, b.alpha_, places=12)
        self.near(a.coef_, b.coef_)

    def test_elastic_net_cross_validation(self):
        x, y = problem(samples=80, features=30)
        ratios, folds = [0.3, 0.9], KFold(4, shuffle=True, random_state=1)
        a = strads.ElasticNetCV(l1_ratio=ratios, n_alphas=15, cv=folds, tol=1e-12).fit(x, y)
        b = theirs.ElasticNetCV(l1_ratio=ratios, n_alphas=15, cv=folds, tol=1e-12, max_iter=100000).fit(x, y)
        self.assertEqual(a.l1_ratio_, b.l1_ratio_)
        np.testing.assert_allclose(a.mse_path_, b.mse_path_, rtol=1e-5)
        self.near(a.coef_, b.coef_)

    def test_path(self):
        x, y = problem()
        a = strads.LassoPath(alphas=[0.5, 0.1, 0.2], tol=1e-13).fit(x, y)
        alphas, coefficients, _ = theirs.lasso_path(x - x.mean(0), y - y.mean(), alphas=[0.5, 0.2, 0.1], tol=1e-13,
                                                    max_iter=100000)
        np.testing.assert_allclose(a.alphas_, alphas)
        self.near(a.coefs_, coefficients)
        self.assertEqual(a.predict(x).shape, (60, 3))

    def test_logistic_regression(self):
        x, y = problem(samples=100, features=20)
        classes = np.where(y > 0, "yes", "no")
        weights = np.random.default_rng(0).uniform(0.5, 2, size=100)
        for intercept in (True, False):
            for given in (None, weights):
                a = strads.LogisticRegression(0.3, fit_intercept=intercept, tol=1e-12)
                b = theirs.LogisticRegression(C=0.3, penalty="l1", solver="saga", fit_intercept=intercept, tol=1e-10,
                                              max_iter=100000)
                a.fit(x, classes, sample_weight=given)
                b.fit(x, classes, sample_weight=given)
                self.near(a.coef_, b.coef_)
                self.near(a.intercept_, b.intercept_)
                self.assertEqual(list(a.predict(x)), list(b.predict(x)))
                np.testing.assert_allclose(a.predict_proba(x), b.predict_proba(x), atol=1e-6)

    def test_logistic_elastic_net(self):
        x, y = problem(samples=100, features=20)
        a = strads.LogisticRegression(0.3, l1_ratio=0.4, tol=1e-12).fit(x, y > 0)
        b = theirs.LogisticRegression(C=0.3, penalty="elasticnet", l1_ratio=0.4, solver="saga", tol=1e-10,
                                      max_iter=100000).fit(x, y > 0)
        self.near(a.coef_, b.coef_)

    def test_linear_svc(self):
        x, y = problem(samples=120, features=10)
        weights = np.random.default_rng(0).uniform(0.5, 2, size=120)
        for classes in (np.where(y > 0, "yes", "no"), np.digitize(y, [-2, 2])):
            for given in ({}, {"class_weight": "balanced"}, {"fit_intercept": False}, {"intercept_scaling": 5.0},
                          {"class_weight": {classes[0]: 3.0}}):
                for loss in ("hinge", "squared_hinge"):
                    for of_samples in (None, weights):
                        a = strads.LinearSVC(C=0.3, loss=loss, tol=1e-11, **given).fit(x, classes, sample_weight=of_samples)
                        b = theirs_svm.LinearSVC(C=0.3, loss=loss, tol=1e-9, max_iter=10**7, random_state=0, **given)
                        b.fit(x, classes, sample_weight=of_samples)
                        np.testing.assert_allclose(a.coef_, b.coef_, atol=2e-5)
                        np.testing.assert_allclose(a.intercept_, b.intercept_, atol=2e-5)
                        ours, others = a.decision_function(x), b.decision_function(x)
                        np.testing.assert_allclose(ours, others, atol=2e-4)
                        # With the hinge a sample may lie on the margin of two classes, where the last digits decide.
                        sure = (np.abs(ours) if ours.ndim == 1 else np.diff(np.sort(ours, axis=1)[:, -2:])[:, 0]) > 1e-3
                        self.assertGreater(sure.mean(), 0.9)
                        self.assertEqual(list(a.predict(x)[sure]), list(b.predict(x)[sure]))

    def test_linear_svc_finds_columns_of_files_by_name(self):
        import os
        import tempfile

        import pandas

        x, y = problem(samples=60, features=4)
        table = pandas.DataFrame(x, columns=list("abcd"))
        fitted = strads.LinearSVC().fit(table, np.digitize(y, [-2, 2]))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.csv")
            table[["d", "a", "c", "b"]].to_csv(path, index=False)
            np.testing.assert_allclose(fitted.decision_function(strads.File(path)), fitted.decision_function(table),
                                       rtol=1e-12, atol=1e-12)
            np.testing.assert_array_equal(fitted.predict(strads.File(path)), fitted.predict(table))

    def test_svm_cv_counts_what_grid_search_counts(self):
        import csv
        import json
        import pathlib
        import subprocess
        import tempfile

        from sklearn.model_selection import PredefinedSplit

        x, y = problem(samples=150, features=8)
        costs = [0.01, 0.1, 1.0]
        for classes in (np.where(y > 0, "b", "a"), np.array(list("abc"))[np.digitize(y, [-2, 2])]):
            with tempfile.TemporaryDirectory() as folder:
                table = pathlib.Path(folder, "x.csv")
                with table.open("w", newline="") as file:
                    writer = csv.writer(file)
                    writer.writerow([f"x{j}" for j in range(8)] + ["y"])
                    writer.writerows([*map(repr, map(float, row)), own] for row, own in zip(x, classes))
                for loss in ("hinge", "squared_hinge"):
                    out = pathlib.Path(folder, loss)
                    subprocess.run([PROGRAMS / "svm", "cv", "--x", table, "--y-name", "y", "--costs",
                                    ",".join(map(str, costs)), "--loss", loss, "--tolerance", "1e-11", "--out", out,
                                    "--threads", "1"], check=True, capture_output=True)
                    folds = np.array([int(own) - 1 for own in (out / "folds.tsv").read_text().split()[1:]])
                    rows = list(csv.DictReader((out / "cv.tsv").read_text().splitlines(), delimiter="\t"))
                    search = GridSearchCV(theirs_svm.LinearSVC(loss=loss, tol=1e-9, max_iter=10**7, random_state=0),
                                          {"C": costs}, cv=PredefinedSplit(folds), scoring="accuracy").fit(x, classes)
                    for c, row in enumerate(rows):
                        for f in range(5):
                            model = theirs_svm.LinearSVC(C=costs[c], loss=loss, tol=1e-9, max_iter=10**7, random_state=0)
                            model.fit(x[folds != f], classes[folds != f])
                            decided = model.decision_function(x[folds == f])
                            margin = np.abs(decided) if decided.ndim == 1 else np.diff(np.sort(decided)[:, -2:])[:, 0]
                            wrong = round((1 - search.cv_results_[f"split{f}_test_score"][c]) * (folds == f).sum())
                            self.assertLessEqual(abs(int(row[f"fold_{f + 1}_wrong"]) - wrong), (margin < 1e-6).sum())
                        np.testing.assert_allclose(float(row["error"]), 1 - search.cv_results_["mean_test_score"][c],
                                                   atol=1e-12)
                    summary = json.loads((out / "summary.json").read_text())
                    self.assertEqual(summary["best"]["cost"], search.best_params_["C"])
                    self.assertEqual(summary["refit"]["cost"], search.best_params_["C"])

    def test_a_limit_is_a_warning(self):
        x, y = problem()
        with self.assertWarns(ConvergenceWarning):
            fitted = strads.Lasso(0.01, max_iter=1, tol=1e-14).fit(x, y)
        self.assertEqual(fitted.stop_reason_, "max_iter")

    def test_a_constant_response_is_its_mean(self):
        x, _ = problem()
        fitted = strads.Lasso(0.1).fit(x, np.full(60, 3.5))
        np.testing.assert_array_equal(fitted.predict(x), np.full(60, 3.5))


if __name__ == "__main__":
    unittest.main()
