"""What has no penalty: alpha = 0, C = inf, and columns and covariates without an intercept."""

import unittest

import numpy as np
import scipy.sparse
import sklearn.linear_model as theirs
from scipy.special import expit

import strads
from support import GENOTYPES, problem


class LeastSquares(unittest.TestCase):
    def fit(self, estimator, *data, **more):
        with self.assertWarnsRegex(UserWarning, "alpha=0 is least squares without a penalty") as caught:
            fitted = estimator.fit(*data, **more)
        self.assertEqual(caught.filename, __file__)
        return fitted

    def test_is_that_of_linear_regression(self):
        x, y = problem(features=8)
        weights = np.random.default_rng(0).uniform(0, 2, size=60)
        for how in ({}, {"fit_intercept": False}):
            for data in ((x, y), (x, y, weights), (scipy.sparse.csr_matrix(x), y)):
                for estimator in (strads.Lasso(0, **how), strads.ElasticNet(0.0, **how)):
                    ours = self.fit(estimator, *data)
                    other = theirs.LinearRegression(**how).fit(x, *data[1:])
                    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-6)
                    self.assertAlmostEqual(ours.intercept_, other.intercept_, places=6)
                    self.assertTrue(ours.converged_)
                    self.assertLessEqual(ours.relative_gap_, 1e-6)

    def test_with_covariates_and_columns_that_take_no_part(self):
        x, y = problem(features=8)
        factors = np.r_[np.inf, np.ones(7)]
        ours = self.fit(strads.Lasso(0), x, y, covariates=x[:, :1] ** 2, penalty_factors=factors)
        other = theirs.LinearRegression().fit(np.c_[x[:, 1:], x[:, 0] ** 2], y)
        np.testing.assert_allclose(np.r_[ours.coef_[1:], ours.covariate_coef_], other.coef_, atol=1e-9)
        self.assertEqual(ours.coef_[0], 0)
        np.testing.assert_allclose(ours.predict(x, covariates=x[:, :1] ** 2), other.predict(np.c_[x[:, 1:], x[:, 0] ** 2]))

    def test_a_perfect_fit_and_more_columns_than_samples(self):
        self.assertAlmostEqual(self.fit(strads.Lasso(0), [[-1.0], [0.0], [1.0]], [-2.0, 0.0, 2.0]).coef_[0], 2)
        x, y = problem(samples=10, features=30)
        fitted = self.fit(strads.Lasso(0), x, y)
        np.testing.assert_allclose(fitted.predict(x), y, atol=1e-9)
        self.assertTrue(fitted.converged_)

    def test_what_is_not_possible_says_what_to_use(self):
        x, y = problem(features=8)
        with self.assertRaisesRegex(strads.UsageError, r"LinearRegression\(positive=True\)"):
            strads.Lasso(0, positive=True).fit(x, y)
        with self.assertRaisesRegex(strads.UsageError, "alpha=0: X is on disk"):
            strads.Lasso(0).fit(strads.Bed(GENOTYPES / "chr2-eur"), np.arange(503.0))


class InLists(unittest.TestCase):
    """alphas with 0 and Cs with inf: what each alone has, as the last solution."""

    def least_squares(self, make, *data, **more):
        with self.assertWarnsRegex(UserWarning, "alpha=0 is least squares without a penalty") as caught:
            fitted = make.fit(*data, **more)
        self.assertEqual(caught.filename, __file__)
        self.assertEqual(len([one for one in caught.warnings if "alpha=0" in str(one.message)]), 1)
        return fitted

    def test_a_path_ends_with_least_squares(self):
        x, y = problem(features=8)
        weights = np.random.default_rng(0).integers(0, 3, size=60).astype(float)
        factors = np.r_[np.inf, 0, np.linspace(0.5, 2, 6)]
        for how in ({}, {"scale": True}, {"fit_intercept": False}, {"l1_ratio": 0.3}):
            for more in ({}, {"sample_weight": weights}, {"penalty_factors": factors, "covariates": x[:, :1] ** 2}):
                path = self.least_squares(strads.LassoPath(alphas=[0, 0.5, 1e-7, 1e-7], tol=1e-10, **how), x, y, **more)
                np.testing.assert_array_equal(path.alphas_, [0.5, 1e-7, 0])
                how_alone = {name: value for name, value in how.items() if name != "l1_ratio"}
                alone = self.least_squares(strads.Lasso(0, **how_alone), x, y, **more)
                np.testing.assert_array_equal(path.coefs_[:, 2], alone.coef_)
                np.testing.assert_array_equal(path.covariate_coef_[:, 2], alone.covariate_coef_)
                self.assertEqual((path.intercepts_[2], path.dual_gaps_[2]), (alone.intercept_, alone.dual_gap_))
                self.assertTrue(path.converged_ and path.converged_path_.all())
                self.assertGreater(path.explained_[1], path.explained_[0])
                self.assertAlmostEqual(path.explained_[2], path.explained_[1], places=5)
                self.assertEqual(path.predict(x, covariates=more.get("covariates")).shape, (60, 3))
                above = strads.LassoPath(alphas=[0.5, 1e-7], tol=1e-10, **how).fit(x, y, **more)
                np.testing.assert_array_equal(path.coefs_[:, :2], above.coefs_)

    def test_what_it_explains_is_that_of_linear_regression(self):
        x, y = problem(features=8)
        path = self.least_squares(strads.LassoPath(alphas=[0.1, 0]), x, y)
        self.assertAlmostEqual(path.explained_[1], theirs.LinearRegression().fit(x, y).score(x, y), places=12)

    def test_zero_alone_and_the_functions(self):
        x, y = problem(features=8)
        path = self.least_squares(strads.LassoPath(alphas=[0.0]), x, y)
        np.testing.assert_allclose(path.coefs_[:, 0], theirs.LinearRegression().fit(x, y).coef_, atol=1e-9)
        with self.assertWarns(UserWarning):
            alphas, coefs, gaps = strads.lasso_path(x, y, alphas=[0.3, 0])
        np.testing.assert_array_equal(alphas, [0.3, 0])
        np.testing.assert_allclose(coefs[:, 1], theirs.LinearRegression(fit_intercept=False).fit(x, y).coef_, atol=1e-9)
        self.assertLess(gaps[1], 1e-9)

    def test_cross_validations_choose_it_where_it_is_best(self):
        x, y = problem(features=5)  # every column counts: no penalty is best
        y = y + x.sum(axis=1)
        for estimator in (strads.LassoCV(alphas=[1.0, 0.3, 0], cv=4), strads.ElasticNetCV(alphas=[1.0, 0.3, 0], cv=4),
                          strads.ElasticNetCV(alphas=[1.0, 0.3, 0], cv=4, l1_ratio=[0.5, 1.0])):
            fitted = self.least_squares(estimator, x, y)
            self.assertEqual(fitted.alpha_, 0)
            np.testing.assert_allclose(fitted.coef_, theirs.LinearRegression().fit(x, y).coef_, atol=1e-9)
            without = theirs.LinearRegression().fit(x[15:], y[15:])
            errors = fitted.mse_path_ if fitted.mse_path_.ndim == 2 else fitted.mse_path_[0]
            self.assertAlmostEqual(errors[2, 0], np.mean((y[:15] - without.predict(x[:15])) ** 2), places=9)
            self.assertTrue(fitted.converged_ and fitted.fold_converged_.all())
        above = strads.LassoCV(alphas=[1.0, 0.3], cv=4).fit(x, y)
        fitted = self.least_squares(strads.LassoCV(alphas=[1.0, 0.3, 0], cv=4), x, y)
        np.testing.assert_allclose(fitted.mse_path_[:2], above.mse_path_, rtol=1e-4)
        self.assertTrue(fitted.plot().get_xlabel().startswith("alpha (0 is not shown"))

    def test_of_two_classes_inf_is_the_fit_without_a_penalty(self):
        x, y = problem(samples=200, features=4)
        classes = np.random.default_rng(0).uniform(size=200) < expit(x @ [1, -1, 1, -1])
        for more in ({}, {"sample_weight": np.random.default_rng(1).uniform(0.5, 2, size=200)}):
            with self.assertWarnsRegex(UserWarning, "C=inf is logistic regression without a penalty"):
                fitted = strads.LogisticRegressionCV(Cs=[np.inf, 0.01, 0.03], cv=4, tol=1e-10).fit(x, classes, **more)
            np.testing.assert_array_equal(fitted.Cs_, [0.01, 0.03, np.inf])
            self.assertEqual(fitted.C_[0], np.inf)  # it has the least deviance here
            with self.assertWarns(UserWarning):
                alone = strads.LogisticRegression(np.inf, tol=1e-10).fit(x, classes, **more)
            np.testing.assert_allclose(fitted.coef_, alone.coef_, rtol=1e-6)
            self.assertEqual(fitted.scores_.shape, (3, 4))
            self.assertTrue(fitted.converged_path_.all() and fitted.fold_converged_.all())
            above = strads.LogisticRegressionCV(Cs=[0.01, 0.03], cv=4, tol=1e-10).fit(x, classes, **more)
            np.testing.assert_allclose(fitted.scores_[:2], above.scores_, rtol=1e-6)

    def test_what_is_not_possible_says_what_to_leave_out(self):
        x, y = problem(samples=40, features=3)
        on_disk = strads.Bed(GENOTYPES / "chr2-eur")
        with self.assertWarns(UserWarning):
            with self.assertRaisesRegex(strads.InputError, "C=inf: .*separated by what has no penalty.*leave inf out of Cs"):
                strads.LogisticRegressionCV(Cs=[0.1, np.inf]).fit(x, x[:, 0] > 0)
            with self.assertRaisesRegex(strads.UsageError, r"LinearRegression\(positive=True\), and leave 0 out of alphas"):
                strads.LassoPath(alphas=[0.1, 0], positive=True).fit(x, y)
            with self.assertRaisesRegex(strads.UsageError, "alpha=0: X is on disk"):
                strads.LassoPath(alphas=[0.1, 0]).fit(on_disk, np.arange(503.0))
            with self.assertRaisesRegex(strads.UsageError, "leave 0 out of alphas, or read X into an array"):
                strads.LassoCV(alphas=[0.1, 0]).fit(on_disk, np.arange(503.0))
            with self.assertRaisesRegex(strads.UsageError, "leave inf out of Cs, or read X into an array"):
                strads.LogisticRegressionCV(Cs=[0.1, np.inf]).fit(on_disk, np.arange(503) % 2)
        for estimator, text in ((strads.LassoCV(alphas=[0.1, -0.1]), "at least 0.*alphas.1. == -0.1"),
                                (strads.LassoPath(alphas=[0.1, np.inf]), "finite numbers of at least 0.*alphas.1. == inf"),
                                (strads.LogisticRegressionCV(Cs=[0.1, 0]), "above 0.*Cs.1. == 0")):
            with self.assertRaisesRegex(ValueError, text):
                estimator.fit(x, y > np.median(y) if hasattr(estimator, "Cs") else y)


class TwoClasses(unittest.TestCase):
    def test_are_those_of_logistic_regression_without_a_penalty(self):
        x, y = problem(samples=200, features=4)
        random = np.random.default_rng(0)
        classes = random.uniform(size=200) < expit(x[:, 0] - 0.5)
        weights = random.uniform(0.5, 2, size=200)
        for how in ({}, {"fit_intercept": False}):
            for given in (None, weights):
                for data in (x, scipy.sparse.csc_matrix(x)):
                    with self.assertWarnsRegex(UserWarning, "without a penalty"):
                        ours = strads.LogisticRegression(np.inf, tol=1e-12, **how).fit(data, classes, given)
                    other = theirs.LogisticRegression(penalty=None, tol=1e-12, max_iter=10000, **how)
                    other.fit(x, classes, sample_weight=given)
                    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-4)
                    np.testing.assert_allclose(ours.intercept_, other.intercept_, atol=1e-4)
                    gradient = x.T @ ((1 if given is None else given) * (ours.predict_proba(x)[:, 1] - classes))
                    self.assertLess(np.abs(gradient).max(), 1e-4)
                    self.assertEqual((ours.n_features_in_, ours.coef_.shape), (4, (1, 4)))

    def test_that_can_be_separated_have_none(self):
        x, y = problem(samples=40, features=3)
        with self.assertWarns(UserWarning), self.assertRaisesRegex(strads.InputError, "separated by what has no penalty: .*column 0"):
            strads.LogisticRegression(np.inf).fit(x, x[:, 0] > 0)


class WithoutIntercept(unittest.TestCase):
    def conditions(self, fitted, x, y, alpha, factors, weights=None, **more):
        """Of an optimum: the gradient is alpha x factor where a coefficient is not 0, and 0 of what has no penalty."""
        weights = np.ones(len(y)) if weights is None else weights
        rest = weights * (y - fitted.predict(x, **more))
        gradient = x.T @ rest / weights.sum()
        self.assertLess(np.abs(gradient[factors == 0]).max(initial=0), 1e-9)
        bound = alpha * factors
        self.assertTrue(np.all(np.abs(gradient) <= bound + 1e-6))
        chosen = (fitted.coef_ != 0) & (factors > 0)
        self.assertTrue(chosen.any())
        np.testing.assert_allclose(np.abs(gradient[chosen]), bound[chosen], atol=1e-6)
        for _, values in more.get("covariates", {}).items():
            self.assertAlmostEqual(float(values @ rest), 0, places=6)
        self.assertEqual(fitted.intercept_, 0)

    def test_columns_and_covariates_have_no_penalty(self):
        import pandas

        x, y = problem(features=30)
        y, random = y + 3, np.random.default_rng(0)
        factors = random.uniform(0.5, 2, size=30)
        factors[[2, 7]] = 0
        table = pandas.DataFrame({"a": random.normal(3, 1, size=60)})
        weights = random.integers(0, 3, size=60).astype(float)
        how = {"fit_intercept": False, "tol": 1e-13}
        for data in (x, scipy.sparse.csc_matrix(x)):
            fitted = strads.Lasso(0.2, **how).fit(data, y, penalty_factors=factors)
            self.conditions(fitted, x, y, 0.2, factors)
            fitted = strads.Lasso(0.2, **how).fit(data, y, weights, penalty_factors=factors, covariates=table)
            self.conditions(fitted, x, y, 0.2, factors, weights, covariates=table)
            fitted = strads.Lasso(0.2, **how).fit(data, y, covariates=table)
            self.conditions(fitted, x, y, 0.2, np.ones(30), covariates=table)
        self.assertTrue(fitted.converged_)

    def test_in_paths_and_cross_validations(self):
        x, y = problem(features=20)
        factors = np.r_[0, np.ones(19)]
        path = strads.LassoPath(alphas=[0.5, 0.2], fit_intercept=False, tol=1e-12).fit(x, y, penalty_factors=factors)
        one = strads.Lasso(0.2, fit_intercept=False, tol=1e-12).fit(x, y, penalty_factors=factors)
        np.testing.assert_allclose(path.coefs_[:, 1], one.coef_, atol=1e-7)
        cv = strads.LassoCV(alphas=[0.5, 0.2], cv=3, fit_intercept=False, tol=1e-12).fit(x, y, penalty_factors=factors)
        without = strads.Lasso(0.2, fit_intercept=False, tol=1e-12).fit(x[20:], y[20:], penalty_factors=factors)
        self.assertAlmostEqual(cv.mse_path_[1, 0], np.mean((y[:20] - without.predict(x[:20])) ** 2), places=6)

    def test_nothing_that_has_a_penalty_is_refused(self):
        x, y = problem(features=5)
        with self.assertRaisesRegex(strads.UsageError, "all are 0.*alpha=0"):
            strads.Lasso(0.2, fit_intercept=False).fit(x, y, penalty_factors=np.zeros(5))


if __name__ == "__main__":
    unittest.main()
