"""Parameters, functions and attributes of scikit-learn beside those of the programs."""

import unittest
import warnings

import numpy as np
import scipy.sparse
import sklearn.linear_model as theirs

import strads
from support import problem


class Penalty(unittest.TestCase):
    def setUp(self):
        self.x, y = problem(samples=80, features=10)
        self.y = y > 0

    def coefficients(self, **parameters):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return strads.LogisticRegression(tol=1e-12, **parameters).fit(self.x, self.y).coef_

    def test_it_is_a_share_of_the_l1_norm(self):
        np.testing.assert_array_equal(self.coefficients(penalty="l1"), self.coefficients())
        np.testing.assert_array_equal(self.coefficients(penalty="l2"), self.coefficients(l1_ratio=0))
        mixed = self.coefficients(penalty="elasticnet", l1_ratio=0.5)
        self.assertGreater(np.abs(mixed - self.coefficients(penalty="l1")).max(), 1e-3)
        expected = theirs.LogisticRegression(tol=1e-10, max_iter=10000).fit(self.x, self.y)
        np.testing.assert_allclose(self.coefficients(penalty="l2"), expected.coef_, atol=1e-5)

    def test_none_is_no_penalty(self):
        x, y = self.x[:, :2], np.arange(80) % 3 == 0  # not separable
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            none = strads.LogisticRegression(penalty=None).fit(x, y)
            infinite = strads.LogisticRegression(np.inf).fit(x, y)
        np.testing.assert_array_equal(none.coef_, infinite.coef_)
        with self.assertWarnsRegex(UserWarning, "penalty=None will ignore the C"):
            strads.LogisticRegression(4.0, penalty=None).fit(x, y)

    def test_a_ratio_beside_it_is_noted(self):
        with self.assertWarnsRegex(UserWarning, "l1_ratio parameter is only used when penalty is 'elasticnet'"):
            strads.LogisticRegression(penalty="l2", l1_ratio=0.5).fit(self.x, self.y)

    def test_what_would_change_a_result_is_refused(self):
        for parameters, text in (({"multi_class": "multinomial"}, "counts the coefficients of both classes"),
                                 ({"verbose": 1}, "progress_bar"), ({"penalty": "none"}, "penalty")):
            with self.assertRaisesRegex(strads.UsageError, text):
                strads.LogisticRegression(**parameters).fit(self.x, self.y)
        with self.assertRaisesRegex(strads.UsageError, "refit: found False"):
            strads.LogisticRegressionCV(refit=False).fit(self.x, self.y)
        with self.assertRaisesRegex(strads.UsageError, "penalty"):
            strads.LogisticRegressionCV(penalty=None).fit(self.x, self.y)

    def test_liblinear_has_a_penalty_of_the_intercept(self):
        with self.assertWarnsRegex(UserWarning, "penalty of the intercept"):
            strads.LogisticRegression(solver="liblinear").fit(self.x, self.y)
        self.coefficients(solver="liblinear", fit_intercept=False)  # no warning
        self.coefficients(solver="saga")

    def test_weights_of_classes_are_weights_of_samples(self):
        weights = np.random.default_rng(0).uniform(0.5, 2, size=80)
        a = strads.LogisticRegression(class_weight={False: 3.0, True: 0.5}, tol=1e-12)
        b = strads.LogisticRegression(tol=1e-12)
        a.fit(self.x, self.y, sample_weight=weights)
        b.fit(self.x, self.y, sample_weight=weights * np.where(self.y, 0.5, 3.0))
        np.testing.assert_array_equal(a.coef_, b.coef_)
        c = strads.LogisticRegression(class_weight="balanced", tol=1e-12).fit(self.x, self.y)
        d = theirs.LogisticRegression(class_weight="balanced", penalty="l1", solver="saga", tol=1e-9, max_iter=100000)
        np.testing.assert_allclose(c.coef_, d.fit(self.x, self.y).coef_, atol=1e-5)


class Start(unittest.TestCase):
    def test_a_warm_start_saves_rounds_and_ends_within_the_same_gap(self):
        x, y = problem(samples=100, features=200)
        for estimator, response in ((strads.Lasso(0.05), y), (strads.ElasticNet(0.05), y),
                                    (strads.LogisticRegression(1.0), y > 0)):
            estimator.set_params(tol=1e-9, warm_start=True)
            first = int(np.ravel(estimator.fit(x, response).n_iter_)[0])
            found = estimator.coef_
            again = int(np.ravel(estimator.fit(x, response).n_iter_)[0])
            self.assertLess(again, first, type(estimator).__name__)
            self.assertLessEqual(estimator.relative_gap_, 1e-9)
            np.testing.assert_allclose(estimator.coef_, found, atol=1e-4)
            self.assertIn("warm start", " ".join(estimator.notes_))

    def test_other_columns_begin_with_zeros(self):
        x, y = problem(samples=60, features=30)
        warm = strads.Lasso(0.05, warm_start=True).fit(x, y)
        np.testing.assert_array_equal(warm.fit(x[:, :20], y).coef_, strads.Lasso(0.05).fit(x[:, :20], y).coef_)

    def test_without_it_every_fit_is_the_first(self):
        x, y = problem(samples=60, features=30)
        cold = strads.Lasso(0.05).fit(x, y)
        found = cold.coef_
        np.testing.assert_array_equal(cold.fit(x, y).coef_, found)


class Gram(unittest.TestCase):
    def test_a_matrix_is_compared_with_x(self):
        x, y = problem(samples=60, features=8)
        centered = np.asfortranarray(x - x.mean(axis=0))
        expected = strads.Lasso(0.1).fit(centered, y).coef_
        given = strads.Lasso(0.1, precompute=centered.T @ centered)
        np.testing.assert_array_equal(given.fit(centered, y).coef_, expected)
        with self.assertRaisesRegex(strads.UsageError, "did not pass validation"):
            strads.Lasso(0.1, precompute=2 * centered.T @ centered).fit(centered, y)
        with self.assertRaisesRegex(strads.UsageError, "expected n_features x n_features"):
            strads.Lasso(0.1, precompute=np.eye(3)).fit(centered, y)
        with self.assertWarnsRegex(UserWarning, "X was centered"):
            strads.Lasso(0.1, precompute=x.T @ x).fit(x + 1, y)
        weights = np.random.default_rng(0).uniform(0.5, 2, size=60)
        w = weights * 60 / weights.sum()
        weighted = np.asfortranarray(x - w @ x / 60)
        strads.ElasticNet(0.1, precompute=(weighted.T * w) @ weighted).fit(weighted, y, sample_weight=weights)


class Paths(unittest.TestCase):
    def test_they_are_those_of_scikit_learn(self):
        x, y = problem(samples=60, features=15)
        for ours, other, more in ((strads.lasso_path, theirs.lasso_path, {}),
                                  (strads.enet_path, theirs.enet_path, {"l1_ratio": 0.3}),
                                  (strads.enet_path, theirs.enet_path, {"positive": True, "alphas": [0.1, 1.0]})):
            alphas, coefs, gaps = ours(x, y, n_alphas=20, tol=1e-12, **more)
            expected_alphas, expected, _ = other(x, y, n_alphas=20, tol=1e-12, max_iter=100000, **more)
            np.testing.assert_allclose(alphas, expected_alphas, rtol=1e-9)
            np.testing.assert_allclose(coefs, expected, atol=1e-5)
            self.assertEqual(gaps.shape, alphas.shape)
        np.testing.assert_allclose(strads.lasso_path(scipy.sparse.csr_matrix(x), y, alphas=[0.1])[1],
                                   strads.lasso_path(x, y, alphas=[0.1])[1], atol=1e-6)

    def test_what_they_do_not_take_is_refused(self):
        x, y = problem(samples=20, features=5)
        for more, text in (({"normalize": True}, "Unexpected parameters in params: normalize"),
                           ({"coef_init": np.zeros(5)}, "coef_init"), ({"return_n_iter": True}, "return_n_iter"),
                           ({"selection": "sorted"}, "selection"), ({"Xy": x.T @ y}, "Xy")):
            with self.assertRaisesRegex(strads.UsageError, text):
                strads.enet_path(x, y, **more)
        with self.assertRaisesRegex(ValueError, "2 responses"):
            strads.lasso_path(x, np.stack([y, y], axis=1))


class Attributes(unittest.TestCase):
    def test_given_penalties_have_their_own_bits(self):
        x, y = problem(samples=60, features=10)
        alphas = np.linspace(0.01, 0.3, 31)
        found = strads.LassoCV(alphas=alphas, cv=3).fit(x, y)
        np.testing.assert_array_equal(found.alphas_, alphas[::-1])
        self.assertIn(found.alpha_, alphas)
        self.assertEqual(strads.ElasticNetCV(alphas=alphas, l1_ratio=[0.5, 1], cv=3).fit(x, y).alphas_.shape, (31,))
        np.testing.assert_array_equal(strads.LassoPath(alphas=[0.3, 0.1]).fit(x, y).alphas_, [0.3, 0.1])
        Cs = [1 / 3, 1.0, 3.0, 7.0]
        np.testing.assert_array_equal(strads.LogisticRegressionCV(Cs=Cs, cv=3).fit(x, y > 0).Cs_, Cs)

    def test_score_is_that_of_the_scorer(self):
        x, y = problem(samples=80, features=10)
        fitted = strads.LogisticRegressionCV(Cs=[1.0], cv=3, scoring="neg_log_loss").fit(x, y > 0)
        self.assertLess(fitted.score(x, y > 0), 0)
        plain = strads.LogisticRegressionCV(Cs=[1.0], cv=3).fit(x, y > 0)
        self.assertEqual(plain.score(x, y > 0), np.mean(plain.predict(x) == (y > 0)))

    def test_sparse_coefficients_predict_the_same(self):
        x, y = problem(samples=60, features=10)
        fitted = strads.LogisticRegression(0.3).fit(x, y > 0)
        dense = fitted.decision_function(x)
        self.assertTrue(scipy.sparse.issparse(fitted.sparsify().coef_))
        np.testing.assert_array_equal(fitted.decision_function(x), dense)
        self.assertFalse(scipy.sparse.issparse(fitted.densify().coef_))
        self.assertEqual(fitted.n_iter_.shape, (1,))
        lasso = strads.Lasso(0.3).fit(x, y)
        np.testing.assert_array_equal(lasso.sparse_coef_.toarray()[0], lasso.coef_)

    def test_every_format_of_sparse_x_is_predicted(self):
        x, y = problem(samples=60, features=10)
        x[np.abs(x) < 0.5] = 0
        fitted = strads.Lasso(0.1).fit(x, y)
        for kind in ("csr", "csc", "coo", "lil", "dok", "dia", "bsr"):
            np.testing.assert_allclose(fitted.predict(scipy.sparse.csr_matrix(x).asformat(kind)), fitted.predict(x))


if __name__ == "__main__":
    unittest.main()
