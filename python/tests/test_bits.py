"""Same bits as the command line."""

import tempfile
import unittest

import numpy as np
import scipy.sparse

import strads
from support import LASSO, coefficients, problem, run_command


class SameBitsAsTheCommand(unittest.TestCase):
    def compare(self, estimator, x, y, *options, arrays=None, **fit):
        estimator.fit(x, y, **fit)
        summary, table = run_command("fit", arrays or {"x": x, "y": y}, *LASSO, *options)
        self.assertEqual(summary["beta_hash"], estimator.beta_hash_)
        found = coefficients(table, x.shape[1])
        self.assertTrue(np.count_nonzero(found) > 0)
        np.testing.assert_array_equal(estimator.coef_.ravel(), found.astype(estimator.coef_.dtype))
        self.assertEqual(estimator.coef_.dtype.type(summary["intercept"]), np.ravel(estimator.intercept_)[0])

    def test_float64(self):
        x, y = problem()
        self.compare(strads.Lasso(0.1), x, y, "--lambda", "0.1")

    def test_float32(self):
        x, y = problem(kind="f4")
        self.compare(strads.Lasso(0.1), x, y, "--lambda", "0.1")

    def test_int8(self):
        x, y = problem(kind="i1")
        self.compare(strads.Lasso(0.05), x, y, "--lambda", "0.05")

    def test_c_order(self):
        x, y = problem()
        self.compare(strads.Lasso(0.1), np.ascontiguousarray(x), y, "--lambda", "0.1")

    def test_rows_of_a_larger_array(self):
        whole, _ = problem(samples=100)
        x, y = problem()
        whole[:60] = x
        self.compare(strads.Lasso(0.1), whole[:60], y, "--lambda", "0.1", arrays={"x": x, "y": y})

    def test_without_intercept_nonnegative_and_other_options(self):
        x, y = problem()
        self.compare(strads.Lasso(0.1, fit_intercept=False, positive=True, tol=1e-9, options={"workers": 3}), x, y,
                     "--lambda", "0.1", "--center", "off", "--center-y", "off", "--nonnegative", "--tolerance", "1e-9",
                     "--workers", "3")

    def test_elastic_net(self):
        x, y = problem()
        self.compare(strads.ElasticNet(0.1, l1_ratio=0.3), x, y, "--lambda", "0.1", "--l1-ratio", "0.3")

    def test_weights(self):
        x, y = problem()
        weights = np.random.default_rng(0).integers(0, 3, size=60).astype(float)
        self.compare(strads.Lasso(0.1), x, y, "--lambda", "0.1", arrays={"x": x, "y": y, "weights": weights},
                     sample_weight=weights)

    def test_logistic_regression(self):
        x, y = problem()
        classes = (y > 0).astype(float)
        estimator = strads.LogisticRegression(0.5).fit(x, classes)
        summary, table = run_command("fit", {"x": x, "y": classes}, "--family", "binomial", "--scale", "off",
                                      "--lambda", "2.0")
        self.assertEqual(summary["beta_hash"], estimator.beta_hash_)
        np.testing.assert_array_equal(estimator.coef_[0], coefficients(table, x.shape[1]))

    def test_path(self):
        x, y = problem()
        path = strads.LassoPath(n_alphas=20).fit(x, y)
        summary, _ = run_command("path", {"x": x, "y": y}, *LASSO, "--lambdas", "20")
        self.assertEqual(summary["path_hash"], path.path_hash_)

    def test_cross_validation(self):
        x, y = problem()
        options = {"folds": 4}
        cv = strads.LassoCV(n_alphas=20, options=options).fit(x, y)
        summary, _ = run_command("cv", {"x": x, "y": y}, *LASSO, "--lambdas", "20", "--lambda-min-ratio", "0.001",
                                 "--early-end", "off", "--folds", "4")
        self.assertEqual(summary["path_hash"], cv.path_hash_)
        self.assertAlmostEqual(summary["lambda_min"]["error"], cv.mean_mse_.min())

    def test_sparse_columns(self):
        random = np.random.default_rng(3)
        x = scipy.sparse.random(80, 300, 0.1, format="csc", random_state=random)
        x.sum_duplicates()
        y = np.asarray(x[:, :5].sum(axis=1)).ravel() + 0.1 * random.normal(size=80)
        estimator = strads.Lasso(0.01).fit(x, y)
        with tempfile.TemporaryDirectory() as folder:
            scipy.sparse.save_npz(folder + "/x.npz", x)
            summary, table = run_command("fit", {"y": y}, *LASSO, "--x", folder + "/x.npz", "--lambda", "0.01")
        self.assertEqual(summary["beta_hash"], estimator.beta_hash_)
        np.testing.assert_array_equal(estimator.coef_, coefficients(table, 300))


if __name__ == "__main__":
    unittest.main()
