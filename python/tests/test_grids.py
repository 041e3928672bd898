"""Grids that are given: what alphas_ and Cs_ say is what a single fit at that value makes, with scale and with weights."""

import unittest

import numpy as np

import strads
from support import problem

TIGHT = 1e-10


class Alphas(unittest.TestCase):
    def expect_fits(self, path, single, x, y):
        self.assertEqual(len(path.alphas_), path.coefs_.shape[1])
        for k in (len(path.alphas_) // 2, len(path.alphas_) - 1):
            alone = single(alpha=path.alphas_[k]).fit(x, y)
            self.assertGreater(np.count_nonzero(alone.coef_), 0)
            np.testing.assert_allclose(path.coefs_[:, k], alone.coef_, rtol=1e-4, atol=1e-6)

    def test_of_a_path_with_scale_are_those_of_fits_with_scale(self):
        x, y = problem(features=30)
        x *= np.linspace(0.2, 20, 30)
        for scale in (True, False):
            path = strads.LassoPath(n_alphas=6, eps=0.05, scale=scale, tol=TIGHT).fit(x, y)
            self.expect_fits(path, lambda scale=scale, **more: strads.Lasso(scale=scale, tol=TIGHT, **more), x, y)

    def test_of_a_cross_validation_with_scale_are_those_of_fits_with_scale(self):
        x, y = problem(features=30)
        x *= np.linspace(0.2, 20, 30)
        for scale in (True, False):
            chosen = strads.LassoCV(n_alphas=6, eps=0.05, cv=3, scale=scale, tol=TIGHT).fit(x, y)
            alone = strads.Lasso(alpha=chosen.alpha_, scale=scale, tol=TIGHT).fit(x, y)
            self.assertIn(chosen.alpha_, chosen.alphas_)
            np.testing.assert_allclose(chosen.coef_, alone.coef_, rtol=1e-4, atol=1e-6)


class CsWithZeroWeights(unittest.TestCase):
    def test_are_those_of_a_fit_without_these_samples(self):
        x, y = problem(samples=120, features=20)
        classes = y > np.median(y)
        weights = np.ones(120)
        weights[::4] = 0
        used = weights > 0
        C = 0.2
        fitted = strads.LogisticRegressionCV(Cs=[C], cv=3, tol=TIGHT).fit(x, classes, sample_weight=weights)
        alone = strads.LogisticRegression(C=C, tol=TIGHT).fit(np.asfortranarray(x[used]), classes[used])
        self.assertGreater(np.count_nonzero(alone.coef_), 0)
        np.testing.assert_array_equal(fitted.Cs_, [C])
        np.testing.assert_allclose(fitted.coef_.ravel(), alone.coef_.ravel(), rtol=1e-4, atol=1e-6)

    def test_are_those_of_a_fit_with_the_same_weights(self):
        x, y = problem(samples=120, features=20)
        classes = y > np.median(y)
        weights = np.where(np.arange(120) % 4 == 0, 0.0, 1 + np.arange(120) % 3)
        for C in (0.05, 0.3):
            fitted = strads.LogisticRegressionCV(Cs=[C], cv=3, tol=TIGHT).fit(x, classes, sample_weight=weights)
            alone = strads.LogisticRegression(C=C, tol=TIGHT).fit(x, classes, sample_weight=weights)
            np.testing.assert_allclose(fitted.coef_.ravel(), alone.coef_.ravel(), rtol=1e-4, atol=1e-6)


if __name__ == "__main__":
    unittest.main()
