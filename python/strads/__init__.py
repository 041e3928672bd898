"""STRADS for Python: the Lasso and its relatives with a certificate, as scikit-learn's estimators.

Every estimator is a command of the program `lasso` (or `svm`, `mf`, `lda`) called in this process: the same options, the same
errors, and the same bits in the coefficients. docs/PYTHON.md says which parameter is which option.

>>> import numpy as np, strads
>>> X = np.asfortranarray(np.eye(4))
>>> strads.Lasso(alpha=0.01).fit(X, [1.0, 2.0, 3.0, 5.0]).coef_.shape
(4,)
"""

from ._errors import ConvergenceWarning, CopyWarning, InputError, StradsError, UsageError
from ._cluster import Cluster
from ._covariates import WithCovariates
from ._data import Bed, File, Pgen
from ._factorization import MatrixFactorization
from ._implicit import ImplicitFactorization
from ._lasso_path import LassoPath
from ._linear import ElasticNet, ElasticNetCV, Lasso, LassoCV
from ._logistic import LogisticRegression, LogisticRegressionCV
from ._logistic_path import LogisticRegressionPath
from ._paths import enet_path, lasso_path
from ._plots import Convergence
from ._poisson import PoissonLasso, PoissonLassoCV, PoissonLassoPath
from ._progress import progress_bar
from ._slim import Slim
from ._summary import SummaryLasso
from ._topics import LatentDirichletAllocation
from ._svm import LinearSVC
from . import _docs, _strads

_docs.document(Lasso, ElasticNet, LassoPath, LassoCV, ElasticNetCV, LogisticRegression, LogisticRegressionPath,
               LogisticRegressionCV, PoissonLasso, PoissonLassoPath, PoissonLassoCV, LinearSVC, MatrixFactorization,
               ImplicitFactorization, Slim, LatentDirichletAllocation, SummaryLasso)

__version__ = _strads.version()

__all__ = [
    "Bed", "Cluster", "Convergence", "ConvergenceWarning", "CopyWarning", "ElasticNet", "ElasticNetCV", "File",
    "ImplicitFactorization", "InputError", "Lasso", "LassoCV", "LassoPath", "LatentDirichletAllocation", "LinearSVC",
    "LogisticRegression", "LogisticRegressionCV", "LogisticRegressionPath", "MatrixFactorization", "Pgen", "PoissonLasso",
    "PoissonLassoCV", "PoissonLassoPath", "Slim", "StradsError", "SummaryLasso", "UsageError", "WithCovariates", "enet_path",
    "lasso_path", "progress_bar",
]
