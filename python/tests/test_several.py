"""Several responses, several l1 ratios of a path, a split into train, val and test, and warm starts of paths."""

import tempfile
import unittest

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold

import strads
from support import GENOTYPES, LASSO, problem, run_command


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

    def test_one_that_is_constant_has_its_mean(self):
        x, y = responses()
        y["bmi"] = 3.5
        for estimator in (strads.Lasso(0.1), strads.LassoCV(n_alphas=4, cv=3)):
            fitted = clone(estimator).fit(x, y)
            alone = clone(estimator).fit(x, y["height"])
            self.assertEqual(fitted.intercept_.tolist(), [alone.intercept_, 3.5])
            np.testing.assert_array_equal(fitted.coef_, [alone.coef_, np.zeros(40)])

    def test_what_only_one_has_is_asked_of_one(self):
        x, y = responses()
        for ask in (lambda: strads.LassoPath(n_alphas=3).fit(x, y).coefs_, lambda: strads.LassoPath(n_alphas=3).fit(x, y).plot(),
                    lambda: strads.LassoCV(n_alphas=3, cv=3).fit(x, y).plot()):
            with self.assertRaisesRegex(AttributeError, "has 2 fits; ask one of estimators_ for it"):
                ask()

    def test_what_ends_one_ends_all_and_is_raised(self):
        x, y = responses()
        for estimator in (strads.Lasso(0.1), strads.LassoCV(n_alphas=4, cv=KFold(3), scoring="r2")):
            calls = []

            def stop(_, calls=calls, most=1 if isinstance(estimator, strads.Lasso) else 5):
                calls.append(1)
                if len(calls) > most:
                    raise ZeroDivisionError("enough")

            with self.assertRaises(ZeroDivisionError):
                estimator.set_params(callback=stop).fit(x, y)
            self.assertTrue(hasattr(estimator, "estimators_"))

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
        for estimator in (strads.LassoPath(n_alphas=4), strads.Lasso(0.1)):
            with self.assertRaisesRegex(strads.UsageError, "'a' is there twice"):
                estimator.fit(x, y)


class SeveralClasses(unittest.TestCase):
    """Of two classes each response has classes, and weights of them, of its own."""

    def setUp(self):
        self.x, numbers = responses()
        self.y = pd.DataFrame({"ill": np.where(numbers["height"] > 0, "yes", "no"), "tall": np.where(numbers["bmi"] > 1, "b", "a")})

    def test_are_fitted_as_each_alone(self):
        for estimator in (strads.LogisticRegression(2.0, class_weight="balanced"), strads.LogisticRegressionCV(Cs=4, cv=3),
                          strads.LogisticRegressionCV(Cs=3, cv=3, scoring="roc_auc", l1_ratio=[0.5, 1.0])):
            both, alone = clone(estimator).fit(self.x, self.y), [clone(estimator).fit(self.x, self.y[name]) for name in self.y]
            self.assertEqual([classes.tolist() for classes in both.classes_], [["no", "yes"], ["a", "b"]])
            self.assertEqual((both.coef_.shape, both.intercept_.shape), ((2, 40), (2,)))
            for k, one in enumerate(alone):
                np.testing.assert_array_equal(both.coef_[k], one.coef_[0])
                np.testing.assert_array_equal(both.predict(self.x)[:, k], one.predict(self.x))
                np.testing.assert_array_equal(both.decision_function(self.x)[:, k], one.decision_function(self.x))
                np.testing.assert_array_equal(both.predict_proba(self.x)[k], one.predict_proba(self.x))
            scores = [one.score(self.x, self.y[name]) for one, name in zip(alone, self.y)]
            self.assertAlmostEqual(both.score(self.x, self.y), np.mean(scores))

    def test_of_a_warm_start_each_has_its_own(self):
        for estimator in (strads.LogisticRegression(2.0, warm_start=True), strads.LogisticRegressionCV(Cs=4, cv=3, warm_start=True)):
            cold = clone(estimator).fit(self.x, self.y)
            warm = estimator.fit(self.x, self.y).fit(self.x, self.y)
            np.testing.assert_allclose(warm.coef_, cold.coef_, atol=1e-2)
            self.assertEqual(sum(note.startswith("warm start") for one in warm.estimators_ for note in one.notes_), 2)

    def test_beside_genotypes_on_disk_are_those_of_each_whoever_has_a_class(self):
        x, random = strads.Bed(GENOTYPES / "chr2-eur"), np.random.default_rng(0)
        y = (random.normal(size=(503, 2)) > 0).astype(float)
        y[:100, 1] = np.nan
        both = strads.LogisticRegressionCV(Cs=[0.05], cv=3, tol=1e-9).fit(x, y)
        for k, one in enumerate(both.estimators_):
            alone = strads.LogisticRegression(C=0.05, tol=1e-9).fit(x, y[:, k])
            np.testing.assert_allclose(one.coef_, alone.coef_, atol=1e-4)
        counts = random.poisson(2, size=(503, 2)).astype(float)
        paths = strads.PoissonLassoPath(n_alphas=2).fit(x, counts, split=["train", "val", "train"] * 167 + ["test"] * 2)
        alone = strads.PoissonLassoPath(n_alphas=2).fit(x, counts[:, 1], split=["train", "val", "train"] * 167 + ["test"] * 2)
        self.assertEqual(paths.estimators_[1].path_hash_, alone.path_hash_)

    def test_what_is_wrong_with_one_is_said_by_its_name(self):
        with self.assertRaisesRegex(ValueError, "response 'ill': y has samples of one class only"):
            strads.LogisticRegression().fit(self.x, self.y.assign(ill="no"))
        with self.assertRaisesRegex(strads.UsageError, "cv: found an iterator, which one response uses up"):
            strads.LogisticRegressionCV(Cs=2, cv=KFold(3).split(self.x)).fit(self.x, self.y)


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

    def test_has_the_bits_of_the_command_with_weights(self):
        x, y = responses()
        y, labels = y["bmi"].to_numpy(), parts(len(x))
        weights = np.random.default_rng(2).uniform(0.5, 2, size=len(x))
        path = strads.LassoPath(n_alphas=12).fit(x, y, weights, split=labels)
        with tempfile.TemporaryDirectory() as folder:
            pd.DataFrame({"part": labels}).to_csv(folder + "/parts.csv", index=False, na_rep="NA")
            summary, _ = run_command("path", {"x": x, "y": y, "weights": weights}, *LASSO, "--lambdas", "12",
                                     "--split", folder + "/parts.csv")
        self.assertEqual(summary["path_hash"], path.path_hash_)
        self.assertEqual(summary["chosen"]["index"] - 1, path.chosen_)
        self.assertEqual(summary["refit"]["beta_hash"], path.best_estimator_.beta_hash_)
        self.assertEqual(summary["refit"]["test"]["mse"], path.split_scores_["refit_test"]["mse"])
        # alpha is that of the samples that train, by themselves.
        train = np.array([label == "train" for label in labels])
        alone = strads.LassoPath(alphas=path.alphas_).fit(x[train], y[train], weights[train])
        np.testing.assert_allclose(path.coefs_, alone.coefs_, atol=1e-6)
        np.testing.assert_allclose(path.dual_gaps_ <= 1e-6 * np.average(y**2), True)

    def test_the_best_one_can_be_fitted_again(self):
        x, y = responses()
        y, labels = y["height"].to_numpy(), parts(len(x))
        both = np.array([label in ("train", "val") for label in labels])
        weights = np.random.default_rng(2).uniform(0.5, 2, size=len(x))
        for how, weights in (({}, weights), ({"scale": True}, weights), ({"l1_ratio": 0.5}, weights),
                             ({"scale": True, "l1_ratio": 0.5}, np.ones(len(x))),
                             ({"positive": True, "options": {"measure": "mae", "stop_after": 0}}, weights)):
            best = strads.LassoPath(n_alphas=10, tol=1e-11, **how).fit(x, y, weights, split=labels).best_estimator_
            again = clone(best).fit(x[both], y[both], weights[both])
            np.testing.assert_allclose(best.coef_, again.coef_, atol=1e-6, err_msg=str(how))
            self.assertGreater(np.count_nonzero(again.coef_), 0)

    def test_without_anybody_to_test_has_no_score_of_it(self):
        x, y = responses()
        scores = strads.LassoPath(n_alphas=4).fit(x, y["bmi"], split=["train", "val"] * 40).split_scores_
        self.assertEqual((scores["test"]["samples"], scores["refit_test"]["samples"]), (0, 0))
        self.assertTrue(all(np.isnan(value) for name, value in scores["test"].items() if name != "samples"))

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
        with self.assertRaisesRegex(strads.InputError, "of a file options={'split': path}"):
            path.fit(x, y, split="parts.csv")
        with self.assertRaisesRegex(strads.InputError, "80 are train, 0 val and 0 test, expected at least two to train and one to"):
            path.fit(x, y, split=["train"] * 80)
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
