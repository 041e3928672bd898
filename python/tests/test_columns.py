"""What goes with X: covariates, penalty factors, offsets; and several l1 ratios."""

import pathlib
import pickle
import tempfile
import unittest

import numpy as np
import pandas as pd
from scipy.special import expit

import strads
from support import GENOTYPES, LASSO, coefficients, problem, run_command


class Covariates(unittest.TestCase):
    def setUp(self):
        self.x, y = problem()
        self.table = pd.DataFrame({"age": np.random.default_rng(0).normal(50, 10, size=60), "sex": np.arange(60) % 2})
        self.y = y + 0.3 * self.table.age.to_numpy() - 2 * self.table.sex.to_numpy()

    def test_they_have_no_penalty(self):
        fitted = strads.Lasso(0.1, tol=1e-12).fit(self.x, self.y, covariates=self.table)
        self.assertEqual(fitted.covariate_names_, ["age", "sex"])
        rest = self.y - fitted.predict(self.x, covariates=self.table)
        for values in (self.table.age, self.table.sex, np.ones(60)):  # no covariate explains what is left
            self.assertAlmostEqual(float(rest @ values) / 60, 0, places=9)
        gradient = np.abs(self.x.T @ rest) / 60
        np.testing.assert_allclose(gradient[fitted.coef_ != 0], 0.1, rtol=1e-4)
        self.assertTrue(np.all(gradient <= 0.1 + 1e-5) and np.any(fitted.coef_ != 0))
        whole = strads.Lasso(0.1, tol=1e-12).fit(np.asfortranarray(np.hstack([self.x, self.table])), self.y,
                                                 penalty_factors=np.r_[np.ones(200), 0, 0])
        np.testing.assert_allclose(whole.coef_, np.r_[fitted.coef_, fitted.covariate_coef_], atol=1e-6)

    def test_same_bits_as_the_command(self):
        x = strads.Bed(GENOTYPES / "chr2-eur")
        random = np.random.default_rng(0)
        values, y = random.normal(size=(503, 2)), random.normal(size=503)
        fitted = strads.Lasso(0.12, scale=True).fit(x, y, covariates=values)
        with tempfile.TemporaryDirectory() as folder:
            table = x.samples.assign(y=y, a=values[:, 0], b=values[:, 1])
            table.to_csv(folder + "/table", sep="\t", index=False, float_format="%.17g")
            summary, _ = run_command("fit", {}, "--bfile", x.prefix, "--pheno", folder + "/table", "--pheno-name", "y",
                                     "--covar", folder + "/table", "--covar-name", "a,b", "--lambda", "0.12",
                                     "--lambda-scale", "y", "--scale-y", "off")
            own = strads.Bed(GENOTYPES / "chr2-eur", covar=folder + "/table", covar_name=["a", "b"])
            again = strads.Lasso(0.12, scale=True).fit(own, y)
            self.assertEqual(again.covariate_names_, ["a", "b"])
            np.testing.assert_array_equal(again.predict(own), fitted.predict(x, covariates=values))
        self.assertEqual(summary["beta_hash"], fitted.beta_hash_)
        self.assertEqual(again.beta_hash_, fitted.beta_hash_)

    def test_of_paths_and_cross_validations(self):
        path = strads.LassoPath(n_alphas=5).fit(self.x, self.y, covariates=self.table)
        self.assertEqual(path.covariate_coef_.shape, (2, 5))
        expected = (self.x @ path.coefs_ + path.intercepts_ + self.table.to_numpy() @ path.covariate_coef_)
        np.testing.assert_allclose(path.predict(self.x, covariates=self.table), expected, atol=1e-9)
        cv = strads.LassoCV(n_alphas=5, cv=3).fit(self.x, self.y, covariates=self.table)
        self.assertEqual(cv.covariate_coef_.shape, (2,))
        self.assertLess(cv.mean_mse_.min(), strads.LassoCV(n_alphas=5, cv=3).fit(self.x, self.y).mean_mse_.min())
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(cv)).predict(self.x, covariates=self.table),
                                      cv.predict(self.x, covariates=self.table))

    def test_samples_without_one_take_no_part(self):
        values = self.table.to_numpy(dtype=float)
        values[3, 0] = np.nan
        fitted = strads.Lasso(0.1).fit(self.x, self.y, covariates=values)
        others = np.delete(np.arange(60), 3)
        without = strads.Lasso(0.1).fit(np.asfortranarray(self.x[others]), self.y[others], covariates=values[others])
        np.testing.assert_allclose(fitted.coef_, without.coef_, atol=1e-6)
        self.assertIn("1 samples left out: missing covariate covariate0", fitted.notes_)

    def test_predictions_need_them(self):
        fitted = strads.Lasso(0.1).fit(self.x, self.y, covariates=self.table)
        with self.assertRaisesRegex(strads.UsageError, "none, expected the 2 of the fit: age, sex"):
            fitted.predict(self.x)
        with self.assertRaisesRegex(strads.InputError, "found 59 rows, expected 60"):
            fitted.predict(self.x, covariates=self.table[:59])
        with self.assertRaisesRegex(strads.UsageError, "found 2, expected the 0 of the fit"):
            strads.Lasso(0.1).fit(self.x, self.y).predict(self.x, covariates=self.table)
        with self.assertRaisesRegex(strads.InputError, "59"):
            strads.Lasso(0.1).fit(self.x, self.y, covariates=self.table[:59])


class PenaltyFactors(unittest.TestCase):
    def test_same_bits_as_the_command_and_columns_divided(self):
        x, y = problem()
        factors = np.random.default_rng(0).uniform(0.5, 2, size=200)
        fitted = strads.Lasso(0.1, tol=1e-12).fit(x, y, penalty_factors=factors)
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "factors").write_text("".join(f"{value!r}\n" for value in factors.tolist()))
            summary, table = run_command("fit", {"x": x, "y": y}, *LASSO, "--lambda", "0.1", "--tolerance", "1e-12",
                                         "--penalty-factors", folder + "/factors")
        self.assertEqual(summary["beta_hash"], fitted.beta_hash_)
        np.testing.assert_array_equal(coefficients(table, 200), fitted.coef_)
        divided = strads.Lasso(0.1, tol=1e-12).fit(np.asfortranarray(x / factors), y)
        np.testing.assert_allclose(divided.coef_ / factors, fitted.coef_, atol=1e-6)

    def test_infinite_ones_leave_columns_out(self):
        x, y = problem()
        factors = np.ones(200)
        factors[0] = np.inf
        cv = strads.LassoCV(n_alphas=5, cv=3).fit(x, y, penalty_factors=factors)
        self.assertEqual(cv.coef_[0], 0)
        self.assertNotEqual(strads.LassoCV(n_alphas=5, cv=3).fit(x, y).coef_[0], 0)

    def test_wrong_ones_are_refused(self):
        x, y = problem()
        with self.assertRaisesRegex(strads.InputError, "penalty factors"):
            strads.Lasso(0.1).fit(x, y, penalty_factors=np.ones(199))
        with self.assertRaisesRegex(strads.InputError, "-1"):
            strads.Lasso(0.1).fit(x, y, penalty_factors=np.full(200, -1.0))


class Offsets(unittest.TestCase):
    def test_same_bits_as_the_command(self):
        x, y = problem()
        offset = np.random.default_rng(0).normal(size=60)
        classes = (y > 0).astype(float)
        fitted = strads.LogisticRegression(0.5).fit(x, classes, offset=offset)
        summary, table = run_command("fit", {"x": x, "y": classes, "offset": offset}, "--family", "binomial", "--scale",
                                      "off", "--lambda", "2.0")
        self.assertEqual(summary["beta_hash"], fitted.beta_hash_)
        np.testing.assert_array_equal(fitted.coef_[0], coefficients(table, 200))
        link = x @ fitted.coef_[0] + fitted.intercept_[0] + offset
        np.testing.assert_allclose(fitted.predict_proba(x, offset=offset)[:, 1], expit(link), rtol=1e-12)
        self.assertEqual(fitted.predict(x, offset=offset).tolist(), (link > 0).astype(float).tolist())

    def test_a_constant_one_moves_the_intercept(self):
        x, y = problem()
        with_it = strads.LogisticRegression(0.5, tol=1e-12).fit(x, y > 0, offset=np.full(60, 1.5))
        without = strads.LogisticRegression(0.5, tol=1e-12).fit(x, y > 0)
        np.testing.assert_allclose(with_it.coef_, without.coef_, atol=1e-6)
        self.assertAlmostEqual(with_it.intercept_[0] + 1.5, without.intercept_[0], places=5)

    def test_predictions_need_them_and_other_losses_have_none(self):
        x, y = problem()
        fitted = strads.LogisticRegressionCV(Cs=4, cv=3).fit(x, y > 0, offset=np.zeros(60) + 0.1)
        with self.assertRaisesRegex(strads.UsageError, "fitted with offsets"):
            fitted.predict(x)
        with self.assertRaisesRegex(strads.UsageError, "fitted without offsets"):
            strads.LogisticRegression(0.5).fit(x, y > 0).predict(x, offset=np.zeros(60))
        with self.assertRaises(TypeError):
            strads.Lasso(0.1).fit(x, y, offset=np.zeros(60))
        whole = strads.WithCovariates(x, offset=np.arange(60.0))
        for estimator in (strads.Lasso(0.1), strads.Lasso(0), strads.LassoPath(n_alphas=3), strads.LassoCV(n_alphas=3, cv=3)):
            with self.assertRaisesRegex(strads.UsageError, "offset goes with .*subtract it from y"):
                estimator.fit(whole, y)
        path = strads.PoissonLassoPath(n_alphas=3).fit(whole, np.round(np.abs(y)))
        self.assertEqual(path.predict(whole).shape, (60, len(path.alphas_)))


class SeveralRatios(unittest.TestCase):
    def test_each_has_what_it_has_alone_and_the_best_is_kept(self):
        x, y = problem(features=40)
        ratios = [0.2, 1.0, 0.6]
        every = {
            "l": (strads.ElasticNetCV(l1_ratio=ratios, n_alphas=8, cv=4), y, "mse_path_", "mean_mse_", np.min),
            "d": (strads.LogisticRegressionCV(l1_ratio=ratios, Cs=8, cv=4), y > 0, "scores_", "mean_error_", np.min),
            "a": (strads.LogisticRegressionCV(l1_ratio=ratios, Cs=8, cv=3, scoring="auc"), y > 0, "scores_", "mean_error_",
                  np.max),
        }
        for name, (estimator, response, errors, mean, best_of) in every.items():
            with self.subTest(name):
                together = estimator.fit(x, response)
                alone = [type(estimator)(**{**estimator.get_params(), "l1_ratio": ratio}).fit(x, response)
                         for ratio in ratios]
                bests = [best_of(getattr(one, mean)) for one in alone]
                best = bests.index(best_of(bests))
                self.assertEqual(together.l1_ratio_, ratios[best])
                self.assertEqual(together.beta_hash_, alone[best].beta_hash_)
                for k, one in enumerate(alone):
                    np.testing.assert_array_equal(getattr(together, errors)[k], getattr(one, errors))


if __name__ == "__main__":
    unittest.main()
