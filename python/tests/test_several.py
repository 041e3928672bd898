"""Several responses, several l1 ratios of a path, a split into train, val and test, and warm starts of paths."""

import tempfile
import unittest

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.metrics import r2_score

import strads
from support import problem


def responses(samples=80, features=40):
    """X, and a table of two responses."""
    x, y = problem(samples=samples, features=features)
    other = 2 * x[:, features - 1] - x[:, 0] + np.random.default_rng(5).normal(size=samples)
    return x, pd.DataFrame({"height": y, "bmi": other})


def parts(samples):
    return ["test" if i % 5 == 4 else "val" if i % 5 == 2 else None if i == 0 else "train" for i in range(samples)]


class SeveralResponses(unittest.TestCase):
    def expect_alone(self, estimator, attributes):
        x, y = responses()
        both = clone(estimator).fit(x, y)
        self.assertEqual([one.response_ for one in both.estimators_], ["height", "bmi"])
        for k, name in enumerate(y):
            alone = clone(estimator).fit(x, y[name].to_numpy())
            for attribute in attributes:
                np.testing.assert_array_equal(getattr(both, attribute)[k], getattr(alone, attribute), attribute)
                np.testing.assert_array_equal(getattr(both.estimators_[k], attribute), getattr(alone, attribute), attribute)
            np.testing.assert_array_equal(both.predict(x[:7])[:, k], alone.predict(x[:7]))
        self.assertEqual(both.predict(x).shape, y.shape)
        self.assertAlmostEqual(both.score(x, y), r2_score(y, both.predict(x)))
        self.assertTrue(both.converged_)
        return both

    def test_of_a_fit_are_fits_of_each(self):
        for estimator in (strads.Lasso(0.2), strads.ElasticNet(0.1, l1_ratio=0.5)):
            fitted = self.expect_alone(estimator, ["coef_", "intercept_", "dual_gap_", "beta_hash_"])
            self.assertEqual(fitted.coef_.shape, (2, 40))

    def test_of_a_cross_validation_are_those_of_each(self):
        self.expect_alone(strads.LassoCV(n_alphas=8, cv=3), ["coef_", "intercept_", "alpha_", "beta_hash_"])
        self.expect_alone(strads.ElasticNetCV(l1_ratio=[0.4, 1.0], n_alphas=6, cv=3), ["coef_", "alpha_", "l1_ratio_"])

    def test_of_other_scorers_go_split_by_split(self):
        self.expect_alone(strads.LassoCV(n_alphas=5, cv=3, scoring="r2"), ["coef_", "alpha_"])

    def test_of_arrays_are_numbered_and_one_column_is_one_response(self):
        x, y = responses()
        fitted = strads.Lasso(0.1).fit(x, y.to_numpy())
        self.assertEqual([one.response_ for one in fitted.estimators_], ["y0", "y1"])
        with self.assertWarnsRegex(Warning, "column-vector y"):
            self.assertEqual(strads.Lasso(0.1).fit(x, y[["bmi"]].to_numpy()).coef_.shape, (40,))

    def test_of_a_file_are_named_by_options(self):
        x, y = responses()
        with tempfile.TemporaryDirectory() as folder:
            np.save(folder + "/x.npy", x)
            y.to_csv(folder + "/y.csv", index=False)
            data = strads.File(folder + "/x.npy", y=folder + "/y.csv", y_name="height,bmi")
            both = strads.LassoCV(n_alphas=6, cv=3).fit(data)
            self.assertEqual([one.response_ for one in both.estimators_], ["height", "bmi"])
            alone = strads.LassoCV(n_alphas=6, cv=3).fit(
                strads.File(folder + "/x.npy", y=folder + "/y.csv", y_name="bmi"))
            np.testing.assert_array_equal(both.coef_[1], alone.coef_)

    def test_of_the_same_name_are_refused(self):
        x, y = responses()
        y.columns = ["a", "a"]
        with self.assertRaisesRegex(strads.UsageError, "'a' is there twice"):
            strads.LassoPath(n_alphas=4).fit(x, y)


class SeveralPaths(unittest.TestCase):
    def test_have_what_each_has_alone(self):
        x, y = responses()
        several = strads.LassoPath(l1_ratio=[1.0, 0.4], n_alphas=7).fit(x, y)
        self.assertEqual([(one.response_, one.l1_ratio) for one in several.estimators_],
                         [("height", 1.0), ("height", 0.4), ("bmi", 1.0), ("bmi", 0.4)])
        predicted = several.predict(x[:5])
        for one, values in zip(several.estimators_, predicted):
            alone = strads.LassoPath(l1_ratio=one.l1_ratio, n_alphas=7).fit(x, y[one.response_].to_numpy())
            self.assertEqual(one.path_hash_, alone.path_hash_)
            np.testing.assert_array_equal(values, alone.predict(x[:5]))

    def test_of_what_has_no_penalty_are_there_too(self):
        x, y = responses()
        with self.assertWarnsRegex(UserWarning, "alpha=0 is least squares"):
            several = strads.LassoPath(l1_ratio=[1.0, 0.5], alphas=[0.1, 0.0]).fit(x, y)
        self.assertEqual(len(several.estimators_), 4)
        np.testing.assert_array_equal(several.estimators_[3].alphas_, [0.1, 0.0])


class Split(unittest.TestCase):
    def test_chooses_on_val_and_scores_on_test(self):
        x, y = responses()
        y, labels = y["height"].to_numpy(), parts(len(x))
        path = strads.LassoPath(n_alphas=20).fit(x, y, split=labels)
        held = {part: np.array([label == part for label in labels]) for part in ("train", "val", "test")}
        alone = strads.LassoPath(n_alphas=20).fit(np.asfortranarray(x[held["train"]]), y[held["train"]])
        np.testing.assert_allclose(path.alphas_, alone.alphas_[:len(path.alphas_)], rtol=1e-9)
        errors = ((path.predict(x[held["val"]]) - y[held["val"], np.newaxis])**2).mean(axis=0)
        np.testing.assert_allclose(path.val_scores_, errors, rtol=1e-9)
        self.assertEqual(path.alpha_, path.alphas_[np.argmin(errors)])
        both = held["train"] | held["val"]
        self.assertEqual(path.measure_, "mse")
        np.testing.assert_allclose(
            path.best_estimator_.coef_,
            strads.Lasso(path.alpha_, tol=1e-10).fit(np.asfortranarray(x[both]), y[both]).coef_, atol=1e-2)
        for scores, predicted in ((path.split_scores_["test"], path.predict(x[held["test"]])[:, path.chosen_]),
                                  (path.split_scores_["refit_test"], path.best_estimator_.predict(x[held["test"]]))):
            self.assertAlmostEqual(scores["mse"], ((predicted - y[held["test"]])**2).mean(), places=9)
            self.assertEqual(scores["samples"], held["test"].sum())

    def test_without_refit_keeps_the_chosen_one(self):
        x, y = responses()
        path = strads.LassoPath(n_alphas=15, options={"refit": "off"}).fit(x, y["bmi"], split=parts(len(x)))
        self.assertIsNone(path.split_scores_["refit_test"])
        np.testing.assert_array_equal(path.best_estimator_.coef_, path.coefs_[:, path.chosen_])

    def test_chooses_among_ratios_for_each_response(self):
        x, y = responses()
        several = strads.LassoPath(l1_ratio=[1.0, 0.3], n_alphas=15).fit(x, y, split=parts(len(x)))
        for k in range(2):
            errors = [one.val_scores_[one.chosen_] for one in several.estimators_[2 * k:2 * k + 2]]
            self.assertEqual(several.best_index_[k], 2 * k + int(np.argmin(errors)))

    def test_is_refused_with_the_reason(self):
        x, y = responses()
        path, y = strads.LassoPath(n_alphas=4), y["bmi"]
        with self.assertRaisesRegex(strads.InputError, "split: row 1 is 'trains'"):
            path.fit(x, y, split=["train", "trains"] * 40)
        with self.assertRaisesRegex(strads.InputError, "found 79 labels, expected 80"):
            path.fit(x, y, split=parts(79))
        with self.assertRaisesRegex(strads.UsageError, "leave 0 out of alphas"):
            with self.assertWarns(UserWarning):
                strads.LassoPath(alphas=[1.0, 0.0]).fit(x, y, split=parts(80))


class WarmStart(unittest.TestCase):
    def test_of_paths_and_cross_validations_ends_within_the_same_gap(self):
        x, y = responses()
        y = y["height"].to_numpy()
        for estimator in (strads.LassoPath(n_alphas=10), strads.LassoCV(n_alphas=10, cv=3),
                          strads.ElasticNetCV(n_alphas=10, cv=3)):
            estimator.set_params(warm_start=True, tol=1e-9)
            cold = clone(estimator).fit(x, y)
            warm = estimator.fit(x, y).fit(x, y)
            self.assertTrue(warm.converged_)
            self.assertTrue(any(note.startswith("warm start") for note in warm.notes_), warm.notes_)
            np.testing.assert_allclose(warm.intercepts_, cold.intercepts_, atol=1e-3)


if __name__ == "__main__":
    unittest.main()
