"""Parameters that cannot be are refused by fit(), which names what is possible; nothing stays of an earlier fit."""

import unittest

import numpy as np
from sklearn.utils.estimator_checks import check_param_validation

import strads
from support import problem

WRONG = {
    "alpha": [-1.0, np.nan, np.inf, "0.1", None, True, [0.1]],
    "C": [0.0, -1.0, np.nan, "1", None, True],
    "l1_ratio": [-0.1, 1.1, np.nan, "all", None, True],
    "fit_intercept": ["yes", 1, None],
    "scale": ["on", 0],
    "positive": ["no", 1],
    "early_end": ["off", None],
    "tol": ["small", -1e-3, np.nan, np.inf, True],
    "max_iter": [0, 2.5, "many", True],
    "n_jobs": [0, 1.5, "all", True],
    "random_state": ["seed", -1, 0.5, True],
    "callback": [3, "print"],
    "cluster": [3, "host"],
    "options": [3, "workers=3", ["workers"]],
    "eps": [0, 0.0, 1.0, -0.1, np.nan, "small"],
    "n_alphas": [0, -1, 2.5, None, "ten"],
    "alphas": [[], [-1.0], [0.1, -1e-9], [0.1, np.inf], [np.nan], [np.inf], "0.1", [["a"]], [[0.1]], 0.1, [True]],
    "Cs": [[], 0, -3, [0.0], [1.0, -np.inf], [np.inf, 0.0], [np.nan], "ten", None, 2.5, [[1.0]]],
    "cv": [1, 0, -2, "five", 2.5],
    "choice": ["1SE", "max", None, 1],
    "scoring": ["aucc", None, 3, "MSE"],
    "n_components": [0, 2.5, "two"],
    "solver": ["steepest", 3],
    "precompute": ["always", 1, None],
    "copy_X": ["yes", 1],
    "warm_start": ["yes", 1],
    "selection": ["greedy", None],
    "verbose": [-1, "loud"],
    "penalty": ["l0", 1],
    "dual": ["yes", 1],
    "intercept_scaling": [0, -1.0, "one", True],
    "class_weight": ["even", 3],
    "multi_class": ["both", None],
    "refit": ["yes", 1],
    "bias": ["on", 1],
    "early_stopping": ["on", None],
    "alpha0": [0, -1.0, "all", True],
    "nu": [-0.5, 5, "one"],
    "confidence": ["count", 1],
    "positive_from": ["four", True],
    "loss": ["logistic", None, 1],
    "l1": [-1, "1", True],
    "l2": [0, -1, "1"],
    "user_power": [5, "1"],
    "item_power": [-5, True],
}
ESTIMATORS = (strads.Lasso, strads.ElasticNet, strads.LassoPath, strads.LassoCV, strads.ElasticNetCV,
              strads.LogisticRegression, strads.LogisticRegressionCV, strads.LogisticRegressionPath, strads.PoissonLasso,
              strads.PoissonLassoPath, strads.PoissonLassoCV, strads.LinearSVC, strads.MatrixFactorization,
              strads.ImplicitFactorization, strads.Slim)
# Where None is a choice, or a list is.
ALLOWED = {("MatrixFactorization", "alpha", None), ("ImplicitFactorization", "alpha", None)}


class Refusals(unittest.TestCase):
    def test_each_parameter_of_each_estimator_names_what_is_possible(self):
        x, y = problem(samples=20, features=5)
        for cls in ESTIMATORS:
            data = ((np.arange(20), np.arange(20), y),) if issubclass(cls, strads.MatrixFactorization) else (x, y > 0)
            known = set(cls().get_params()) & set(WRONG)
            self.assertGreaterEqual(len(known), 8)
            for name in known:
                for value in WRONG[name]:
                    if any(key[:2] == (cls.__name__, name) and value is key[2] for key in ALLOWED):
                        continue
                    takes_several = cls.__name__.endswith("CV") or cls is strads.LassoPath
                    if name == "l1_ratio" and takes_several and isinstance(value, list):
                        continue
                    with self.subTest(estimator=cls.__name__, **{name: value}):
                        with self.assertRaises(strads.UsageError) as caught:
                            cls(**{name: value}).fit(*data)
                        text = str(caught.exception)
                        self.assertTrue(text.startswith(f"The {name!r} parameter of {cls.__name__} must be "), text)
                        self.assertTrue(text.endswith(f" Got {value!r} instead."), text)

    def test_lists_of_ratios(self):
        x, y = problem(samples=20, features=5)
        for value in ([], [0.5, 1.5], ["a"], [np.nan]):
            for cls in (strads.ElasticNetCV, strads.LassoPath):
                with self.assertRaisesRegex(strads.UsageError, f"'l1_ratio' parameter of {cls.__name__} must be"):
                    cls(l1_ratio=value).fit(x, y)

    def test_the_table_is_what_the_checks_of_scikit_learn_read(self):
        for cls in ESTIMATORS[:-2]:  # of the last two positive_from is bounded by 1e300, and 1e300 + 1 is that number
            check_param_validation(cls.__name__, cls())

    def test_choices_are_named_in_order(self):
        with self.assertRaisesRegex(strads.UsageError, r"a str among \{'min', '1se'\}. Got '1SE'"):
            strads.LassoCV(choice="1SE").fit(*problem())

    def test_numbers_of_numpy_are_numbers(self):
        x, y = problem(samples=30, features=5)
        strads.Lasso(np.float32(0.1), fit_intercept=np.bool_(True), n_jobs=np.int64(1), tol=np.float64(1e-6)).fit(x, y)
        strads.LassoCV(n_alphas=np.int32(3), cv=np.int64(3), n_jobs=-2).fit(x, y)

    def test_any_source_of_random_numbers(self):
        x, y = problem()
        for state in (None, 3, np.int64(3), np.random.RandomState(0), np.random.default_rng(0)):
            self.assertTrue(strads.Lasso(0.1, random_state=state).fit(x, y).converged_)
        seeds = [strads.Lasso(0.1, random_state=np.random.RandomState(7)).fit(x, y).config_ for _ in range(2)]
        self.assertEqual(*seeds)
        self.assertNotEqual(seeds[0], strads.Lasso(0.1, random_state=np.random.RandomState(8)).fit(x, y).config_)


class Refits(unittest.TestCase):
    def learnt(self, estimator):
        return {name for name in vars(estimator) if name.endswith("_")}

    def test_nothing_stays_of_an_earlier_fit(self):
        import pandas

        x, y = problem(samples=40, features=6)
        table = pandas.DataFrame(x, columns=list("abcdef"))
        cv = strads.ElasticNetCV(n_alphas=4, l1_ratio=[0.5, 1.0], cv=3).fit(table, y, covariates=x[:, :1])
        cv.set_params(scoring="r2").fit(x, np.full(40, 2.0))
        self.assertNotIn("feature_names_in_", vars(cv))
        for name in ("mean_mse_", "scores_", "coef_path_", "l1_ratio_", "path_hash_"):
            self.assertFalse(hasattr(cv, name), name)
        self.assertEqual(cv.covariate_names_, [])
        np.testing.assert_array_equal(cv.predict(x), np.full(40, 2.0))

    def test_a_fit_that_fails_leaves_no_other_one(self):
        x, y = problem(samples=40, features=6)
        wrong = np.full_like(x, np.nan)
        ratings = (np.arange(30), np.arange(30) % 7, np.arange(30.0) % 5)
        for estimator, data, bad in (
                (strads.Lasso(0.1), (x, y), (wrong, y)), (strads.LassoPath(n_alphas=3), (x, y), (x, y[:-1])),
                (strads.LassoCV(n_alphas=3, cv=3), (x, y), (wrong, y)),
                (strads.LogisticRegression(), (x, y > 0), (x, np.arange(40) % 3)),
                (strads.LogisticRegressionCV(Cs=3, cv=3), (x, y > 0), (x, np.ones(40))),
                (strads.PoissonLasso(0.1), (x, np.round(np.abs(y))), (x, -np.ones(40))),
                (strads.PoissonLassoCV(n_alphas=3, cv=3), (x, np.round(np.abs(y))), (x, np.zeros(40))),
                (strads.MatrixFactorization(2, max_iter=3, early_stopping=False), (ratings,), (([], [], []),))):
            with self.subTest(type(estimator).__name__):
                estimator.fit(*data)
                self.assertTrue(self.learnt(estimator))
                with self.assertRaises(ValueError):
                    estimator.fit(*bad)
                self.assertFalse(self.learnt(estimator) - {"n_features_in_", "classes_"})
                estimator.fit(*data).set_params(n_jobs=0)
                with self.assertRaises(strads.UsageError):
                    estimator.fit(*data)
                self.assertFalse(self.learnt(estimator))


if __name__ == "__main__":
    unittest.main()
