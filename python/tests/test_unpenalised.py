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
        with self.assertRaisesRegex(strads.UsageError, "LinearRegression"):
            strads.LassoPath(alphas=[0.1, 0]).fit(x, y)


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
