"""check_estimator of scikit-learn for each of our estimators, also with parameters that lead to other answers: one test a
check. Run by scripts/check_peers.py."""

import warnings

from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import strads
from strads._base import StradsEstimator

ESTIMATORS = [
    strads.Lasso(),
    strads.Lasso(positive=True),
    strads.Lasso(fit_intercept=False),
    strads.Lasso(scale=True),
    strads.Lasso(warm_start=True),
    strads.ElasticNet(),
    strads.ElasticNet(positive=True),
    strads.ElasticNet(l1_ratio=0),
    strads.LassoPath(n_alphas=10),
    strads.LassoPath(n_alphas=10, positive=True),
    strads.LassoCV(n_alphas=10, cv=3),
    strads.LassoCV(n_alphas=10, cv=3, positive=True),
    strads.ElasticNetCV(n_alphas=5, cv=3),
    strads.ElasticNetCV(n_alphas=5, cv=3, l1_ratio=[0.5, 1.0]),
    strads.LogisticRegression(),
    strads.LogisticRegression(penalty="l2"),
    strads.LogisticRegression(class_weight="balanced"),
    strads.LogisticRegression(warm_start=True),
    strads.LogisticRegressionCV(Cs=5, cv=3),
    strads.LogisticRegressionCV(Cs=[0.1, 1.0], cv=3, penalty="l2"),
]


@parametrize_with_checks(ESTIMATORS)
def test_check_estimator(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


def test_every_estimator_of_this_kind_is_here():
    ours = {name for name in strads.__all__
            if isinstance(getattr(strads, name), type) and issubclass(getattr(strads, name), StradsEstimator)}
    assert ours == {type(estimator).__name__ for estimator in ESTIMATORS}
