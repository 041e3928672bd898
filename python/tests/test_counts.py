"""Counts: scikit-learn's numbers, the commands' bits, means, offsets, and what is refused."""

import pickle
import tempfile
import unittest

import numpy as np
import pandas as pd
import sklearn.linear_model as theirs
from sklearn.base import clone
from sklearn.metrics import d2_tweedie_score, mean_poisson_deviance
from sklearn.model_selection import GridSearchCV, KFold

import strads
from support import coefficients, run_command

POISSON = ["--family", "poisson", "--scale", "off", "--lambda-scale", "sample"]


def counts(samples=80, features=30, seed=1):
    """X, counts of its first three columns, and how long each was counted."""
    random = np.random.default_rng(seed)
    x = np.asfortranarray(random.normal(size=(samples, features)))
    exposure = random.uniform(0.5, 3, size=samples)
    return x, random.poisson(exposure * np.exp(0.5 + x[:, :3] @ [0.5, -0.4, 0.3])).astype(float), exposure


class Numbers(unittest.TestCase):
    def test_without_the_l1_norm_it_is_scikit_learns_regressor(self):
        x, y, exposure = counts()
        for intercept in (True, False):
            for weights in (None, exposure):
                a = strads.PoissonLasso(0.3, l1_ratio=0, fit_intercept=intercept, tol=1e-12).fit(x, y, weights)
                b = theirs.PoissonRegressor(alpha=0.3, fit_intercept=intercept, tol=1e-10, max_iter=100000).fit(x, y, weights)
                np.testing.assert_allclose(a.coef_, b.coef_, rtol=0, atol=1e-5)
                np.testing.assert_allclose(a.intercept_, b.intercept_, rtol=0, atol=1e-5)
                np.testing.assert_allclose(a.predict(x), b.predict(x), rtol=1e-4)
                # With weights its own score is another number in scikit-learn 1.2.
                theirs_ = d2_tweedie_score(y, b.predict(x), sample_weight=weights, power=1)
                self.assertAlmostEqual(a.score(x, y, weights), theirs_, places=6)
                if weights is None:
                    self.assertAlmostEqual(a.score(x, y), b.score(x, y), places=6)

    def test_slopes_are_within_the_penalty(self):
        x, y, exposure = counts()
        for ratio in (1.0, 0.6):
            fitted = strads.PoissonLasso(0.2, l1_ratio=ratio, tol=1e-12).fit(x, y, offset=np.log(exposure))
            rest = y - fitted.predict(x, offset=np.log(exposure))
            self.assertAlmostEqual(rest.sum(), 0, places=6)
            slopes = x.T @ rest / len(y) - 0.2 * (1 - ratio) * fitted.coef_
            used = fitted.coef_ != 0
            self.assertTrue(used.any() and not used.all())
            np.testing.assert_allclose(slopes[used], 0.2 * ratio * np.sign(fitted.coef_[used]), atol=1e-5)
            self.assertLessEqual(np.abs(slopes[~used]).max(), 0.2 * ratio + 1e-5)

    def test_a_weight_of_two_is_a_sample_that_is_there_twice(self):
        x, y, _ = counts()
        weights = np.random.default_rng(0).integers(0, 3, size=len(y)).astype(float)
        rows = np.repeat(np.arange(len(y)), weights.astype(int))
        # alpha is of the mean over the samples with a weight: the same loss a sample in both.
        a = strads.PoissonLasso(0.1, tol=1e-12).fit(x, y, weights)
        b = strads.PoissonLasso(0.1, tol=1e-12).fit(np.asfortranarray(x[rows]), y[rows])
        np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-6)
        self.assertAlmostEqual(a.intercept_, b.intercept_, places=6)

    def test_a_constant_offset_moves_the_intercept(self):
        x, y, _ = counts()
        with_it = strads.PoissonLasso(0.1, tol=1e-12).fit(x, y, offset=np.full(len(y), 1.5))
        without = strads.PoissonLasso(0.1, tol=1e-12).fit(x, y)
        np.testing.assert_allclose(with_it.coef_, without.coef_, atol=1e-6)
        self.assertAlmostEqual(with_it.intercept_ + 1.5, without.intercept_, places=5)

    def test_no_coefficient_is_negative_where_none_may_be(self):
        x, y, _ = counts()
        free, bounded = strads.PoissonLasso(0.05).fit(x, y), strads.PoissonLasso(0.05, positive=True).fit(x, y)
        self.assertLess(free.coef_.min(), 0)
        self.assertGreaterEqual(bounded.coef_.min(), 0)
        self.assertGreater(bounded.coef_.max(), 0)

    def test_the_score_is_the_share_of_the_deviance(self):
        x, y, exposure = counts()
        fitted = strads.PoissonLasso(0.1).fit(x, y, offset=np.log(exposure))
        mean = fitted.predict(x, offset=np.log(exposure))
        share = 1 - mean_poisson_deviance(y, mean) / mean_poisson_deviance(y, np.full(len(y), y.mean()))
        self.assertAlmostEqual(fitted.score(x, y, offset=np.log(exposure)), share)
        self.assertGreater(share, 0.2)


class Bits(unittest.TestCase):
    def test_a_fit(self):
        x, y, exposure = counts()
        offset = np.log(exposure)
        fitted = strads.PoissonLasso(0.1).fit(x, y, offset=offset)
        summary, table = run_command("fit", {"x": x, "y": y, "offset": offset}, *POISSON, "--lambda", "0.1")
        self.assertEqual(summary["beta_hash"], fitted.beta_hash_)
        np.testing.assert_array_equal(fitted.coef_, coefficients(table, 30))
        np.testing.assert_allclose(fitted.predict(x, offset=offset), exposure * np.exp(x @ fitted.coef_ + fitted.intercept_),
                                   rtol=1e-12)

    def test_a_path_and_a_cross_validation(self):
        x, y, _ = counts()
        grid = ["--lambdas", "8", "--lambda-min-ratio", "0.01", "--early-end", "off"]
        path = strads.PoissonLassoPath(n_alphas=8, eps=0.01, early_end=False).fit(x, y)
        summary, _ = run_command("path", {"x": x, "y": y}, *POISSON, *grid)
        self.assertEqual(summary["path_hash"], path.path_hash_)
        self.assertTrue(np.all(np.diff(path.explained_) > 0))
        links = path.coef_path_.T @ x.T
        np.testing.assert_allclose(path.predict(x), np.exp(links.T + path.intercepts_), rtol=1e-12)
        cv = strads.PoissonLassoCV(n_alphas=8, eps=0.01, cv=KFold(4)).fit(x, y)
        self.assertEqual(cv.path_hash_, path.path_hash_)
        self.assertEqual(cv.measure_, "deviance")
        self.assertEqual(cv.scores_.shape, (8, 4))
        self.assertEqual(cv.coef_.tolist(), path.coefs_[:, np.argmin(cv.mean_score_)].tolist())
        self.assertFalse(hasattr(cv, "mse_path_"))

    def test_files(self):
        x, y, _ = counts()
        with tempfile.TemporaryDirectory() as folder:
            np.save(folder + "/x.npy", x)
            np.save(folder + "/y.npy", y)
            on_disk = strads.PoissonLasso(0.1).fit(strads.File(folder + "/x.npy", y=folder + "/y.npy"))
            here = strads.PoissonLasso(0.1).fit(x, y)
            self.assertEqual(on_disk.beta_hash_, here.beta_hash_)
            np.testing.assert_allclose(here.predict(strads.File(folder + "/x.npy")), here.predict(x), rtol=1e-12)


class CrossValidations(unittest.TestCase):
    def test_splits_done_here_have_the_numbers_of_the_program(self):
        x, y, exposure = counts()
        pairs = list(KFold(4).split(x))
        for measure in ("deviance", "mse", "mae"):
            how = {"n_alphas": 6, "eps": 0.01, "scoring": measure, "tol": 1e-11}
            program = strads.PoissonLassoCV(cv=pairs, **how).fit(x, y, exposure, offset=np.log(exposure))
            here = strads.PoissonLassoCV(cv=pairs * 2, **how).fit(x, y, exposure, offset=np.log(exposure))
            np.testing.assert_allclose(here.scores_[:, :4], program.scores_, rtol=1e-6)
            self.assertEqual((here.measure_, here.alpha_), (measure, program.alpha_))

    def test_scorers_see_means(self):
        x, y, _ = counts()
        how = {"n_alphas": 5, "eps": 0.01, "cv": KFold(4), "tol": 1e-11}
        ours = strads.PoissonLassoCV(**how).fit(x, y)
        theirs_ = strads.PoissonLassoCV(scoring="neg_mean_poisson_deviance", **how).fit(x, y)
        np.testing.assert_allclose(-theirs_.scores_, ours.scores_, rtol=1e-6)

    def test_several_ratios(self):
        x, y, _ = counts()
        fitted = strads.PoissonLassoCV(l1_ratio=[0.3, 1.0], n_alphas=5, cv=3).fit(x, y)
        self.assertEqual((fitted.alphas_.shape, fitted.scores_.shape), ((2, 5), (2, 5, 3)))
        alone = strads.PoissonLassoCV(l1_ratio=fitted.l1_ratio_, n_alphas=5, cv=3).fit(x, y)
        self.assertEqual((alone.alpha_, alone.beta_hash_), (fitted.alpha_, fitted.beta_hash_))

    def test_covariates_and_searches(self):
        x, y, exposure = counts()
        whole = strads.WithCovariates(x, exposure[:, np.newaxis], np.log(exposure))
        search = GridSearchCV(strads.PoissonLasso(), {"alpha": [0.02, 0.2, 20.0]}, cv=3).fit(whole, y)
        self.assertLess(search.best_params_["alpha"], 20)
        fitted = search.best_estimator_
        self.assertEqual(fitted.covariate_coef_.shape, (1,))
        again = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_array_equal(again.predict(whole), fitted.predict(whole))
        self.assertEqual(clone(fitted).get_params()["alpha"], search.best_params_["alpha"])

    def test_the_picture_names_the_deviance(self):
        x, y, _ = counts()
        fitted = strads.PoissonLassoCV(n_alphas=4, cv=3).fit(x, y)
        self.assertEqual((fitted.plot().get_xlabel(), fitted.plot().get_ylabel()), ("alpha", "Poisson deviance"))


def two_counts():
    """X, two counts by name, logarithms of exposures, weights, and who trains, validates and tests."""
    x, y, exposure = counts()
    other = np.random.default_rng(3).poisson(np.exp(0.2 + 0.4 * x[:, 5])).astype(float)
    parts = ["test" if i % 5 == 4 else "val" if i % 5 == 2 else "train" for i in range(len(y))]
    weights = np.random.default_rng(4).uniform(0.5, 2, size=len(y))
    return x, pd.DataFrame({"visits": y, "falls": other}), np.log(exposure), weights, np.array(parts)


class Several(unittest.TestCase):
    def test_responses_are_fitted_as_each_alone_with_one_offset(self):
        x, y, offset, weights, _ = two_counts()
        for estimator in (strads.PoissonLasso(0.05), strads.PoissonLassoCV(l1_ratio=[0.5, 1.0], n_alphas=5, cv=3),
                          strads.PoissonLassoCV(n_alphas=4, cv=3, scoring="neg_mean_absolute_error")):
            both = clone(estimator).fit(x, y, weights, offset=offset)
            alone = [clone(estimator).fit(x, y[name], weights, offset=offset) for name in y]
            for k, one in enumerate(alone):
                np.testing.assert_array_equal(both.coef_[k], one.coef_)
                np.testing.assert_array_equal(both.predict(x, offset=offset)[:, k], one.predict(x, offset=offset))
            self.assertAlmostEqual(both.score(x, y, offset=offset), np.mean(
                [one.score(x, y[name], offset=offset) for one, name in zip(alone, y)]))
            with self.assertRaisesRegex(strads.InputError, "y: found 1 columns, expected one for each of the 2 responses"):
                both.score(x, y["falls"], offset=offset)

    def test_paths_of_responses_and_ratios_predict_means(self):
        x, y, offset, _, _ = two_counts()
        paths = strads.PoissonLassoPath(l1_ratio=[1.0, 0.4], n_alphas=6).fit(x, y, offset=offset)
        for one, means in zip(paths.estimators_, paths.predict(x[:9], offset=offset[:9])):
            alone = strads.PoissonLassoPath(l1_ratio=one.l1_ratio, n_alphas=6).fit(x, y[one.response_], offset=offset)
            self.assertEqual(one.path_hash_, alone.path_hash_)
            np.testing.assert_array_equal(means, alone.predict(x[:9], offset=offset[:9]))

    def test_a_split_has_the_bits_of_the_command(self):
        x, y, offset, weights, parts = two_counts()
        path = strads.PoissonLassoPath(n_alphas=12, l1_ratio=0.7).fit(x, y["visits"], weights, offset=offset, split=parts)
        with tempfile.TemporaryDirectory() as folder:
            pd.DataFrame({"part": parts}).to_csv(folder + "/parts.csv", index=False)
            summary, _ = run_command("path", {"x": x, "y": y["visits"].to_numpy(), "offset": offset, "weights": weights}, *POISSON,
                                     "--lambdas", "12", "--l1-ratio", "0.7", "--split", folder + "/parts.csv")
        self.assertEqual(summary["path_hash"], path.path_hash_)
        self.assertEqual((summary["measure"], summary["chosen"]["index"] - 1), (path.measure_, path.chosen_))
        self.assertEqual(summary["refit"]["beta_hash"], path.best_estimator_.beta_hash_)
        for part, scores in (("chosen", "test"), ("refit", "refit_test")):
            self.assertEqual(summary[part]["test"]["deviance"], path.split_scores_[scores]["deviance"])

    def test_a_split_is_a_path_of_those_who_train_and_a_fit_of_train_and_val(self):
        x, y, offset, weights, parts = two_counts()
        y = y["visits"].to_numpy()
        path = strads.PoissonLassoPath(n_alphas=10, tol=1e-11).fit(x, y, weights, offset=offset, split=parts)
        self.assertIsInstance(path.best_estimator_, strads.PoissonLasso)
        train, both = parts == "train", parts != "test"
        alone = strads.PoissonLassoPath(n_alphas=10, tol=1e-11, early_end=False).fit(x[train], y[train], weights[train],
                                                                                   offset=offset[train])
        np.testing.assert_allclose(path.alphas_, alone.alphas_[:len(path.alphas_)], rtol=1e-9)
        np.testing.assert_allclose(path.coefs_, alone.coefs_[:, :len(path.alphas_)], atol=1e-7)
        again = clone(path.best_estimator_).fit(x[both], y[both], weights[both], offset=offset[both])
        np.testing.assert_allclose(path.best_estimator_.coef_, again.coef_, atol=1e-7)
        means = path.best_estimator_.predict(x[~both], offset=offset[~both])
        self.assertAlmostEqual(path.split_scores_["refit_test"]["deviance"],
                               mean_poisson_deviance(y[~both], means, sample_weight=weights[~both]))

    def test_warm_starts_end_within_the_same_gap(self):
        x, y, offset, _, _ = two_counts()
        for estimator in (strads.PoissonLasso(0.05), strads.PoissonLassoPath(n_alphas=5, l1_ratio=[0.5, 1.0]),
                          strads.PoissonLassoCV(n_alphas=5, cv=3)):
            estimator.set_params(warm_start=True, tol=1e-9)
            cold = clone(estimator).fit(x, y, offset=offset)
            warm = estimator.fit(x, y, offset=offset).fit(x, y, offset=offset)
            for one, other in zip(cold.estimators_, warm.estimators_):
                self.assertTrue(any(note.startswith("warm start") for note in other.notes_), other.notes_)
                np.testing.assert_allclose(one.predict(x, offset=offset), other.predict(x, offset=offset), rtol=1e-3)


class Refusals(unittest.TestCase):
    def test_what_is_no_count(self):
        x, y, _ = counts()
        wrong = y.copy()
        wrong[3] = -1
        with self.assertRaisesRegex(strads.InputError, r"the response of .*\b3\b.* is -1, expected a count.*fit numbers with Lasso"):
            strads.PoissonLasso(0.1).fit(x, wrong)
        for estimator in (strads.PoissonLasso(0.1), strads.PoissonLassoPath(n_alphas=3), strads.PoissonLassoCV(n_alphas=3, cv=3)):
            with self.assertRaisesRegex(strads.InputError, "all counts are 0"):
                estimator.fit(x, np.zeros(len(y)))
            with self.assertRaisesRegex(strads.InputError, "response 'y1': the response of row 3 is -1"):
                estimator.fit(x, np.c_[y, wrong])
        with self.assertRaisesRegex(strads.InputError, r"offset: found an array of shape \(80, 2\), expected one dimension"):
            strads.PoissonLasso(0.1).fit(x, np.c_[y, y], offset=np.c_[y, y])

    def test_a_constant_count_has_no_coefficients(self):
        x, y, _ = counts()
        fitted = strads.PoissonLasso(0.1).fit(x, np.full(len(y), 3.0))
        self.assertEqual(np.count_nonzero(fitted.coef_), 0)
        np.testing.assert_allclose(fitted.predict(x), 3.0)

    def test_offsets_are_needed_where_the_fit_had_some(self):
        x, y, exposure = counts()
        for estimator in (strads.PoissonLasso(0.1), strads.PoissonLassoPath(n_alphas=3)):
            fitted = estimator.fit(x, y, offset=np.log(exposure))
            with self.assertRaisesRegex(strads.UsageError, "fitted with offsets"):
                fitted.predict(x)
            with self.assertRaisesRegex(strads.UsageError, "fitted without offsets"):
                estimator.fit(x, y).predict(x, offset=np.log(exposure))

    def test_no_penalty_is_another_class(self):
        x, y, _ = counts()
        with self.assertRaisesRegex(strads.UsageError, "'alpha' parameter of PoissonLasso must be a float in the range"):
            strads.PoissonLasso(0).fit(x, y)
        for estimator in (strads.PoissonLassoPath(alphas=[0.1, 0]), strads.PoissonLassoCV(alphas=[0.1, 0])):
            with self.assertRaisesRegex(strads.UsageError, r"finite numbers above 0 .*alphas\[1\] == 0"):
                estimator.fit(x, y)

    def test_options_of_other_families_speak_of_these_classes(self):
        x, y, exposure = counts()
        with tempfile.TemporaryDirectory() as folder:
            np.save(folder + "/offset.npy", np.log(exposure))
            with self.assertRaisesRegex(strads.UsageError, "goes with LogisticRegression, PoissonLasso and those named after"):
                strads.Lasso(0.1, options={"offset": folder + "/offset.npy"}).fit(x, y)
        with self.assertRaisesRegex(strads.UsageError, "PoissonLasso has none; leave it out"):
            strads.PoissonLasso(0.1, options={"policy": "uniform"}).fit(x, y)


if __name__ == "__main__":
    unittest.main()
