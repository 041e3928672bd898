"""Any splitter and scorer of scikit-learn in our cross-validations."""

import unittest
import warnings

import numpy as np
import scipy.sparse
import sklearn.linear_model as theirs
from sklearn.metrics import get_scorer, log_loss, roc_auc_score
from sklearn.model_selection import (GroupKFold, KFold, LeaveOneOut, RepeatedKFold, RepeatedStratifiedKFold, ShuffleSplit,
                                     StratifiedKFold, TimeSeriesSplit)

import strads
from support import GENOTYPES, problem

GROUPS = np.arange(60) * 7 % 11


class Splitters(unittest.TestCase):
    def setUp(self):
        self.x, self.y = problem(features=20)

    def test_errors_are_those_of_scikit_learn(self):
        twice = [(np.arange(40), np.arange(30, 60)), (np.arange(20, 60), np.arange(20))]
        # Each is held out once, but not fitted everywhere else.
        ring = [(np.arange(20, 40), np.arange(20)), (np.arange(40, 60), np.arange(20, 40)), (np.arange(20), np.arange(40, 60))]
        for cv in (3, ring, KFold(4), KFold(3, shuffle=True, random_state=1), ShuffleSplit(4, random_state=0),
                   RepeatedKFold(n_splits=3, n_repeats=2, random_state=0), TimeSeriesSplit(3), twice,
                   ShuffleSplit(3, train_size=0.4, test_size=0.2, random_state=2), LeaveOneOut()):
            with self.subTest(repr(cv)[:60]):
                ours = strads.LassoCV(alphas=[0.5, 0.2, 0.05], cv=cv, tol=1e-12).fit(self.x, self.y)
                other = theirs.LassoCV(alphas=[0.5, 0.2, 0.05], cv=cv, tol=1e-13, max_iter=100000).fit(self.x, self.y)
                np.testing.assert_allclose(ours.mse_path_, other.mse_path_, rtol=1e-5)
                if np.ptp([len(test) for _, test in splits_of(cv, 60)]) == 0:  # else they weigh a fold as another one
                    self.assertAlmostEqual(ours.alpha_, other.alpha_)

    def test_a_split_done_here_has_the_numbers_of_the_program(self):
        weights = np.random.default_rng(0).uniform(0.5, 2, size=60)
        pairs = [(train, test) for train, test in KFold(3).split(self.x)]
        for x in (self.x, scipy.sparse.csc_matrix(self.x)):
            program = strads.LassoCV(n_alphas=6, cv=pairs, tol=1e-12).fit(x, self.y, weights, covariates=self.x[:, :1] ** 2)
            here = strads.LassoCV(n_alphas=6, cv=pairs + pairs, tol=1e-12).fit(x, self.y, weights,
                                                                              covariates=self.x[:, :1] ** 2)
            np.testing.assert_allclose(here.scores_[:, :3], program.scores_, rtol=1e-7)
            np.testing.assert_allclose(here.mean_mse_, program.mean_mse_, rtol=1e-7)
            self.assertEqual((here.alpha_, here.beta_hash_), (program.alpha_, program.beta_hash_))

    def test_measures_of_classes_are_those_of_the_program(self):
        y, pairs = self.y > 0, list(StratifiedKFold(3).split(self.x, self.y > 0))
        for measure in ("deviance", "class", "auc", "mse", "mae"):
            program = strads.LogisticRegressionCV(Cs=5, cv=pairs, scoring=measure, tol=1e-10).fit(self.x, y)
            here = strads.LogisticRegressionCV(Cs=5, cv=pairs * 2, scoring=measure, tol=1e-10).fit(self.x, y)
            np.testing.assert_allclose(here.scores_[:, :3], program.scores_, rtol=1e-6)
            self.assertEqual(here.measure_, program.measure_)
            self.assertAlmostEqual(here.C_[0], program.C_[0])

    def test_groups(self):
        for estimator, y in ((strads.LassoCV(n_alphas=4, cv=GroupKFold(4)), self.y),
                             (strads.LogisticRegressionCV(Cs=4, cv=GroupKFold(4)), self.y > 0)):
            pairs = list(GroupKFold(4).split(self.x, y, GROUPS))
            expected = type(estimator)(**{**estimator.get_params(), "cv": pairs}).fit(self.x, y)
            np.testing.assert_array_equal(estimator.fit(self.x, y, groups=GROUPS).scores_, expected.scores_)
            with self.assertRaisesRegex(strads.InputError, "cv: .*groups"):
                estimator.fit(self.x, y)

    def test_rows_as_a_mask_and_from_a_generator(self):
        expected = strads.LassoCV(n_alphas=4, cv=KFold(3)).fit(self.x, self.y)
        masks = [(np.isin(np.arange(60), train), np.isin(np.arange(60), test)) for train, test in KFold(3).split(self.x)]
        for cv in (iter(masks), (pair for pair in KFold(3).split(self.x))):
            np.testing.assert_array_equal(strads.LassoCV(n_alphas=4, cv=cv).fit(self.x, self.y).scores_, expected.scores_)

    def test_rows_that_are_there_twice_count_twice(self):
        random = np.random.default_rng(3)
        pairs = [(random.integers(0, 60, size=60), np.arange(60)) for _ in range(2)]  # the bootstrap
        ours = strads.LassoCV(alphas=[0.2], cv=pairs, tol=1e-12).fit(self.x, self.y)
        for k, (train, _) in enumerate(pairs):
            rows = theirs.Lasso(0.2, tol=1e-13, max_iter=100000).fit(self.x[train], self.y[train])
            self.assertAlmostEqual(ours.mse_path_[0, k], np.mean((self.y - rows.predict(self.x)) ** 2), places=5)

    def test_splits_that_cannot_be_are_refused(self):
        for cv, text in (([(np.arange(30), np.arange(30, 61)), (np.arange(30), np.arange(30, 60))], "split 0: rows held out"),
                         ([(np.arange(30), []), (np.arange(30), np.arange(30, 60))], "split 0 has no rows held out"),
                         ([(np.arange(30), np.arange(30, 60))], "found 1 split, expected at least 2"),
                         (KFold(61), "n_splits=61")):
            with self.assertRaisesRegex(strads.InputError, "cv: .*" + text):
                strads.LassoCV(n_alphas=3, cv=cv).fit(self.x, self.y)

    def test_of_samples_on_disk_each_is_held_out_once(self):
        x, y = strads.Bed(GENOTYPES / "chr2-eur"), np.random.default_rng(0).normal(size=503)
        fitted = strads.LassoCV(n_alphas=3, eps=0.6, cv=GroupKFold(3), scale=True).fit(x, y, groups=np.arange(503) % 10)
        self.assertEqual(fitted.scores_.shape, (3, 3))
        with self.assertRaisesRegex(strads.UsageError, "on disk"):
            strads.LassoCV(n_alphas=3, cv=ShuffleSplit(3), scale=True).fit(x, y)


def splits_of(cv, rows):
    from sklearn.model_selection import check_cv

    return list(check_cv(cv).split(np.zeros((rows, 1))))


class Scorers(unittest.TestCase):
    def setUp(self):
        self.x, self.y = problem(features=20)

    def test_scores_are_those_of_models_without_the_split(self):
        for name in ("r2", "neg_mean_squared_error", "neg_mean_absolute_error", "max_error"):
            fitted = strads.LassoCV(alphas=[0.5, 0.1], cv=KFold(3), scoring=name, tol=1e-12).fit(self.x, self.y)
            self.assertEqual(fitted.measure_, name)
            for k, (train, test) in enumerate(KFold(3).split(self.x)):
                for a, alpha in enumerate((0.5, 0.1)):
                    one = theirs.Lasso(alpha, tol=1e-13, max_iter=100000).fit(self.x[train], self.y[train])
                    self.assertAlmostEqual(fitted.scores_[a, k], get_scorer(name)(one, self.x[test], self.y[test]), places=4)
            self.assertEqual(fitted.alpha_, fitted.alphas_[np.argmax(fitted.mean_score_)])
            self.assertFalse(hasattr(fitted, "mse_path_"))

    def test_of_classes_and_with_names_of_classes(self):
        y = np.where(self.y > 0, "yes", "no")
        cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
        for name, scored in (("roc_auc", lambda y, p: roc_auc_score(y, p)), ("neg_log_loss", lambda y, p: -log_loss(y, p)),
                             ("accuracy", lambda y, p: np.mean((p > 0.5) == (y == "yes")))):
            fitted = strads.LogisticRegressionCV(Cs=[0.3, 1.0], cv=cv, scoring=name, tol=1e-10).fit(self.x, y)
            self.assertEqual(fitted.scores_.shape, (2, 6))
            train, test = next(cv.split(self.x, y))
            one = strads.LogisticRegression(0.3 * 60 / len(train), tol=1e-10).fit(self.x[train], y[train])
            self.assertAlmostEqual(fitted.scores_[0, 0], scored(y[test], one.predict_proba(self.x[test])[:, 1]), places=5)
            self.assertEqual(fitted.C_min_, fitted.Cs_[np.argmax(fitted.mean_score_)])

    def test_callables_covariates_offsets_and_weights(self):
        y, offset = self.y > 0, np.random.default_rng(1).normal(size=60)
        seen = []

        def share(estimator, x, y):
            seen.append(x.covariates.shape)
            return estimator.score(x, y)

        fitted = strads.LogisticRegressionCV(Cs=3, cv=3, scoring=share).fit(self.x, y, covariates=self.x[:, :2] ** 2,
                                                                            offset=offset)
        self.assertEqual((fitted.measure_, seen[0]), ("score", (20, 2)))
        weights = np.where(np.arange(60) < 30, 2.0, 1.0)
        fitted = strads.LassoCV(alphas=[0.1], cv=KFold(2), scoring="r2", tol=1e-12).fit(self.x, self.y, weights)
        one = strads.Lasso(0.1, tol=1e-12).fit(self.x[30:], self.y[30:], weights[30:])
        self.assertAlmostEqual(fitted.scores_[0, 0], one.score(self.x[:30], self.y[:30]), places=6)

    def test_several_ratios_and_the_simplest_within_one_error(self):
        fitted = strads.ElasticNetCV(l1_ratio=[0.3, 1.0], n_alphas=8, cv=ShuffleSplit(5, random_state=0), choice="1se")
        fitted.fit(self.x, self.y)
        self.assertEqual((fitted.scores_.shape, fitted.alphas_.shape), ((2, 8, 5), (2, 8)))
        self.assertGreaterEqual(fitted.alpha_1se_, fitted.alpha_)
        bests = fitted.scores_.mean(axis=2).min(axis=1)
        self.assertEqual(fitted.l1_ratio_, [0.3, 1.0][int(np.argmin(bests))])

    def test_a_scorer_that_fails_says_where(self):
        with self.assertRaisesRegex(strads.UsageError, "scoring: of split 0: .*pos_label"):
            strads.LogisticRegressionCV(Cs=2, cv=3, scoring="f1").fit(self.x, np.where(self.y > 0, "a", "b"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with self.assertRaisesRegex(strads.UsageError, "no sample_weight"):
                strads.LassoCV(n_alphas=2, cv=3, scoring="max_error").fit(self.x, self.y, np.ones(60) + np.arange(60) % 2)


if __name__ == "__main__":
    unittest.main()
