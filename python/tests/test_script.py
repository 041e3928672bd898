"""Scripts of scikit-learn with our objects in place of theirs, within 1e-6.

They are the computing lines of examples/linear_model/plot_lasso_and_elasticnet.py,
plot_lasso_dense_vs_sparse_data.py and plot_lasso_coordinate_descent_path.py of scikit-learn 1.2 (BSD-3-Clause), with
tolerances that make both solvers exact; pictures and times are left out.
"""

import unittest

import numpy as np
import scipy.sparse
import sklearn.linear_model
from sklearn import datasets
from sklearn.metrics import r2_score

import strads


def lasso_and_elasticnet(Lasso, ElasticNet, **how):
    np.random.seed(42)
    n_samples, n_features = 50, 100
    X = np.random.randn(n_samples, n_features)
    idx = np.arange(n_features)
    coef = (-1) ** idx * np.exp(-idx / 10)
    coef[10:] = 0
    y = np.dot(X, coef)
    y += 0.01 * np.random.normal(size=n_samples)
    X_train, y_train = X[: n_samples // 2], y[: n_samples // 2]
    X_test, y_test = X[n_samples // 2 :], y[n_samples // 2 :]
    lasso = Lasso(alpha=0.1, **how)
    y_pred_lasso = lasso.fit(X_train, y_train).predict(X_test)
    enet = ElasticNet(alpha=0.1, l1_ratio=0.7, **how)
    y_pred_enet = enet.fit(X_train, y_train).predict(X_test)
    return np.concatenate([lasso.coef_, enet.coef_, [r2_score(y_test, y_pred_lasso), r2_score(y_test, y_pred_enet)]])


def dense_vs_sparse_data(Lasso, **how):
    X, y = datasets.make_regression(n_samples=200, n_features=5000, random_state=0)
    X_sp = scipy.sparse.coo_matrix(X)
    sparse_lasso = Lasso(alpha=1, fit_intercept=False, max_iter=1000, **how)
    dense_lasso = Lasso(alpha=1, fit_intercept=False, max_iter=1000, **how)
    sparse_lasso.fit(X_sp, y)
    dense_lasso.fit(X, y)
    return np.concatenate([sparse_lasso.coef_, dense_lasso.coef_])


def coordinate_descent_path(path):
    X, y = datasets.load_diabetes(return_X_y=True)
    X /= X.std(axis=0)
    return path(X, y)


class Scripts(unittest.TestCase):
    def near(self, found, expected):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * max(1.0, np.abs(expected).max()))

    def test_plot_lasso_and_elasticnet(self):
        self.near(lasso_and_elasticnet(strads.Lasso, strads.ElasticNet, tol=1e-13),
                  lasso_and_elasticnet(sklearn.linear_model.Lasso, sklearn.linear_model.ElasticNet, tol=1e-13,
                                       max_iter=100000))

    def test_plot_lasso_dense_vs_sparse_data(self):
        with self.assertWarns(strads.CopyWarning):  # rows by C order, sparse by entries: 7 MiB each
            found = dense_vs_sparse_data(strads.Lasso, tol=1e-12)
        self.near(found, dense_vs_sparse_data(sklearn.linear_model.Lasso, tol=1e-12))

    def test_plot_lasso_coordinate_descent_path(self):
        expected = coordinate_descent_path(
            lambda X, y: sklearn.linear_model.lasso_path(X, y, eps=5e-3, tol=1e-13, max_iter=100000)[:2])
        found = strads.LassoPath(eps=5e-3, early_end=False, fit_intercept=False, tol=1e-13)
        coordinate_descent_path(lambda X, y: found.fit(X, y))
        np.testing.assert_allclose(found.alphas_, expected[0], rtol=1e-9)
        self.near(found.coefs_, expected[1])


if __name__ == "__main__":
    unittest.main()
