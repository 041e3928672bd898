"""A solution that cannot be certified is one row, with its gap and a warning; the others are there."""

import unittest
import warnings

import numpy as np
import sklearn.exceptions
from sklearn.model_selection import KFold, ShuffleSplit

import strads
from support import problem

# Double precision ends before; where the objective is that of coefficients 0 it is met all the same.
OUT_OF_REACH = 1e-18


class Misses(unittest.TestCase):
    def fit(self, estimator, *data):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            fitted = estimator.fit(*data)
        self.assertEqual([one.category for one in heard], [strads.ConvergenceWarning])
        self.assertTrue(issubclass(strads.ConvergenceWarning, sklearn.exceptions.ConvergenceWarning))
        self.assertEqual(heard[0].filename, __file__)  # the line that called the package
        self.assertIn(f"the tolerance {estimator.tol:g} was not met", str(heard[0].message))
        self.assertFalse(fitted.converged_)
        return fitted, str(heard[0].message)

    def test_of_one_fit(self):
        x, y = problem()
        fitted, text = self.fit(strads.Lasso(0.1, tol=OUT_OF_REACH), x, y)
        self.assertIn(f"alpha=0.1 (relative gap {fitted.relative_gap_:.2g})", text)
        self.assertTrue(0 < fitted.relative_gap_ < 1e-10)
        fitted, text = self.fit(strads.LogisticRegression(5, tol=OUT_OF_REACH), x, y > 0)
        self.assertIn(f"C=5 (relative gap {fitted.relative_gap_:.2g})", text)

    def test_of_a_path_each_alpha_has_its_gap(self):
        x, y = problem()
        largest = np.abs(x.T @ (y - y.mean())).max() / 60
        fitted, text = self.fit(strads.LassoPath(alphas=[2 * largest, 0.1, 0.05], tol=OUT_OF_REACH), x, y)
        np.testing.assert_array_equal(fitted.converged_path_, fitted.relative_gaps_ <= OUT_OF_REACH)
        self.assertEqual(fitted.converged_path_.tolist(), [True, False, False])
        self.assertIn("alpha=0.1 (relative gap", text)
        self.assertIn("alpha=0.05 (relative gap", text)
        self.assertNotIn(f"alpha={2 * largest:.4g}", text)
        one = strads.LassoPath(alphas=[0.1]).fit(x, y)
        np.testing.assert_allclose(fitted.coefs_[:, 1], one.coefs_[:, 0], atol=1e-5)
        fitted, text = self.fit(strads.LassoPath(alphas=np.geomspace(0.5, 0.05, 9), tol=OUT_OF_REACH), x, y)
        self.assertIn(" and 4 more", text)  # five are named

    def test_of_cross_validations_each_fold_and_penalty(self):
        x, y = problem(features=30)
        for cv in (KFold(3), ShuffleSplit(3, random_state=0)):
            fitted, text = self.fit(strads.LassoCV(alphas=[0.5, 0.1], cv=cv, tol=OUT_OF_REACH), x, y)
            self.assertEqual((fitted.converged_path_.shape, fitted.fold_converged_.shape), ((2,), (2, 3)))
            self.assertFalse(fitted.converged_path_.any() or fitted.fold_converged_.any())
            self.assertTrue(np.isfinite(fitted.mse_path_).all())
            self.assertIn("alpha=0.5 (relative gap", text)
            self.assertIn("alpha=0.5 without fold 0 (relative gap", text)  # and no other alpha is named
            fitted, text = self.fit(strads.LogisticRegressionCV(Cs=[0.5, 1.0], cv=cv, tol=OUT_OF_REACH), x, y > 0)
            self.assertEqual((fitted.relative_gaps_.shape, fitted.fold_converged_.shape), ((2,), (2, 3)))
            self.assertIn("C=1 ", text)
        fitted, text = self.fit(strads.ElasticNetCV(alphas=[0.1], l1_ratio=[0.5, 1.0], cv=3, tol=OUT_OF_REACH), x, y)
        self.assertIn("alpha=0.1, l1_ratio=0.5 (relative gap", text)

    def test_where_all_are_met_nothing_is_said(self):
        x, y = problem(features=30)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for fitted in (strads.Lasso(0.1).fit(x, y), strads.LassoPath(n_alphas=5).fit(x, y),
                           strads.LassoCV(n_alphas=5, cv=3).fit(x, y),
                           strads.LogisticRegressionCV(Cs=4, cv=ShuffleSplit(3, random_state=0), scoring="roc_auc").fit(x, y > 0)):
                self.assertTrue(fitted.converged_)
                self.assertTrue(np.all(getattr(fitted, "fold_converged_", True)))
                self.assertTrue(np.all(getattr(fitted, "converged_path_", True)))


if __name__ == "__main__":
    unittest.main()
