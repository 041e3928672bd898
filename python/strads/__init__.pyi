"""Made by python/tests/make_stubs.py."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Self

import numpy as np
import pandas as pd
import scipy.sparse
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

Callback = Callable[[Mapping[str, Any]], bool | None]
__version__: str

class Bed:
    def __init__(self, prefix: str | PathLike[str], **options: Any) -> None: ...
    @property
    def samples(self) -> pd.DataFrame: ...
    @property
    def variants(self) -> pd.DataFrame: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...

class Cluster:
    def __init__(self, processes: int | None = ..., *, hosts: str | PathLike[str] | Iterable[str] | None = ..., threads: int | None = ..., options: Mapping[str, Any] | None = ..., launch_options: Mapping[str, Any] | None = ..., stradsd: str | PathLike[str] | None = ..., strads_launch: str | PathLike[str] | None = ...) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: Any) -> None: ...
    def close(self) -> None: ...
    @property
    def log(self) -> list[str]: ...
    @property
    def node_processes(self) -> list[int]: ...

class Convergence:
    events: list[dict[str, Any]]
    def __init__(self) -> None: ...
    def __call__(self, facts: Mapping[str, Any]) -> bool: ...
    def plot(self, ax: Any = ..., **how: Any) -> Any: ...

class ConvergenceWarning(UserWarning): ...

class CopyWarning(UserWarning): ...

class ElasticNet(RegressorMixin, BaseEstimator):
    estimators_: list[ElasticNet]
    response_: str
    coef_: NDArray[np.floating[Any]]
    intercept_: float
    covariate_coef_: NDArray[np.float64]
    dual_gap_: float
    relative_gap_: float
    beta_hash_: str
    n_iter_: int
    converged_: bool
    stop_reason_: str
    notes_: list[str]
    config_: str
    seconds_: dict[str, float]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    covariate_names_: list[str]
    def __init__(self, alpha: float = ..., *, l1_ratio: float = ..., fit_intercept: bool = ..., precompute: bool | str | ArrayLike = ..., max_iter: int | None = ..., copy_X: bool = ..., tol: float | None = ..., warm_start: bool = ..., positive: bool = ..., random_state: int | np.random.RandomState | np.random.Generator | None = ..., selection: str = ..., n_jobs: int | None = ..., callback: Callback | None = ..., cluster: Cluster | None = ..., options: Mapping[str, Any] | None = ...) -> None: ...
    @property
    def sparse_coef_(self) -> scipy.sparse.csr_matrix: ...
    def predict(self, X: Any, *, covariates: Any = ...) -> NDArray[Any]: ...
    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = ..., *, covariates: Any = ...) -> float: ...
    def fit(self, X: Any, y: Any = ..., sample_weight: ArrayLike | None = ..., *, covariates: Any = ..., penalty_factors: ArrayLike | None = ..., check_input: bool = ...) -> Self: ...

class ElasticNetCV(RegressorMixin, BaseEstimator):
    estimators_: list[ElasticNetCV]
    response_: str
    coef_: NDArray[np.floating[Any]]
    intercept_: float
    covariate_coef_: NDArray[np.float64]
    dual_gap_: float
    relative_gap_: float
    beta_hash_: str
    alphas_: NDArray[np.float64]
    coef_path_: scipy.sparse.csc_matrix
    intercepts_: NDArray[np.floating[Any]]
    dual_gaps_: NDArray[np.float64]
    relative_gaps_: NDArray[np.float64]
    converged_path_: NDArray[np.bool_]
    explained_: NDArray[np.float64]
    path_hash_: str
    alpha_: float
    alpha_1se_: float
    mse_path_: NDArray[np.float64]
    mean_mse_: NDArray[np.float64]
    l1_ratio_: float
    scores_: NDArray[np.float64]
    mean_score_: NDArray[np.float64]
    standard_error_: NDArray[np.float64]
    measure_: str
    fold_converged_: NDArray[np.bool_]
    n_iter_: int
    converged_: bool
    stop_reason_: str
    notes_: list[str]
    config_: str
    seconds_: dict[str, float]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    covariate_names_: list[str]
    def __init__(self, *, l1_ratio: float | Sequence[float] = ..., eps: float | None = ..., n_alphas: int = ..., alphas: Iterable[float] | None = ..., early_end: bool = ..., cv: Any = ..., scoring: str | Callable[..., float] = ..., choice: str = ..., fit_intercept: bool = ..., precompute: bool | str | ArrayLike = ..., max_iter: int | None = ..., tol: float | None = ..., copy_X: bool = ..., verbose: int | bool = ..., n_jobs: int | None = ..., positive: bool = ..., random_state: int | np.random.RandomState | np.random.Generator | None = ..., selection: str = ..., warm_start: bool = ..., callback: Callback | None = ..., cluster: Cluster | None = ..., options: Mapping[str, Any] | None = ...) -> None: ...
    @property
    def sparse_coef_(self) -> scipy.sparse.csr_matrix: ...
    def predict(self, X: Any, *, covariates: Any = ...) -> NDArray[Any]: ...
    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = ..., *, covariates: Any = ...) -> float: ...
    def fit(self, X: Any, y: Any = ..., sample_weight: ArrayLike | None = ..., *, groups: ArrayLike | None = ..., covariates: Any = ..., penalty_factors: ArrayLike | None = ...) -> Self: ...
    def plot(self, ax: Any = ..., **how: Any) -> Any: ...

class File:
    def __init__(self, path: str | PathLike[str], **options: Any) -> None: ...

class ImplicitFactorization(BaseEstimator):
    user_factors_: NDArray[np.float32]
    item_factors_: NDArray[np.float32]
    user_counts_: NDArray[np.uint32]
    item_counts_: NDArray[np.uint32]
    user_ids_: NDArray[Any]
    item_ids_: NDArray[Any]
    n_iter_: int
    objective_: float
    converged_: bool
    stop_reason_: str
    notes_: list[str]
    config_: str
    model_hash_: str
    def __init__(self, n_components: int | None = ..., *, objective: str | None = ..., reg: float | None = ..., alpha0: float | None = ..., nu: float | None = ..., alpha: float | None = ..., regularization: float | None = ..., confidence: str | None = ..., positive_from: float | None = ..., solver: str | None = ..., max_iter: int | None = ..., tol: float | None = ..., n_jobs: int | None = ..., random_state: int | np.random.RandomState | np.random.Generator | None = ..., callback: Callback | None = ..., cluster: Cluster | None = ..., options: Mapping[str, Any] | None = ...) -> None: ...
    def fit(self, X: Any, y: Any = ...) -> Self: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def score(self, X: Any, y: Any = ..., *, seen: Any = ..., k: int = ...) -> float: ...
    def evaluate(self, train: Any, test: Any, K: int | Iterable[int] = ..., *, relevant: float | None = ...) -> pd.DataFrame: ...
    def similar_items(self, itemid: int | str, N: int = ...) -> tuple[Any, Any]: ...
    def similar_users(self, userid: Any, N: int = ...) -> tuple[Any, Any]: ...
    def recommend(self, user: int | str, n: int = ..., exclude: Any = ...) -> tuple[Any, Any]: ...
    def save(self, directory: str | PathLike[str], force: bool = ...) -> None: ...
    @classmethod
    def load(cls, directory: str | PathLike[str]) -> Self: ...

class InputError(ValueError): ...

class Lasso(RegressorMixin, BaseEstimator):
    estimators_: list[Lasso]
    response_: str
    coef_: NDArray[np.floating[Any]]
    intercept_: float
    covariate_coef_: NDArray[np.float64]
    dual_gap_: float
    relative_gap_: float
    beta_hash_: str
    n_iter_: int
    converged_: bool
    stop_reason_: str
    notes_: list[str]
    config_: str
    seconds_: dict[str, float]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    covariate_names_: list[str]
    def __init__(self, alpha: float = ..., *, fit_intercept: bool = ..., scale: bool = ..., precompute: bool | str | ArrayLike = ..., copy_X: bool = ..., max_iter: int | None = ..., tol: float | None = ..., warm_start: bool = ..., positive: bool = ..., random_state: int | np.random.RandomState | np.random.Generator | None = ..., selection: str = ..., n_jobs: int | None = ..., callback: Callback | None = ..., cluster: Cluster | None = ..., options: Mapping[str, Any] | None = ...) -> None: ...
    @property
    def sparse_coef_(self) -> scipy.sparse.csr_matrix: ...
    def predict(self, X: Any, *, covariates: Any = ...) -> NDArray[Any]: ...
    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = ..., *, covariates: Any = ...) -> float: ...
    def fit(self, X: Any, y: Any = ..., sample_weight: ArrayLike | None = ..., *, covariates: Any = ..., penalty_factors: ArrayLike | None = ..., check_input: bool = ...) -> Self: ...

class LassoCV(RegressorMixin, BaseEstimator):
    estimators_: list[LassoCV]
    response_: str
    coef_: NDArray[np.floating[Any]]
    intercept_: float
    covariate_coef_: NDArray[np.float64]
    dual_gap_: float
    relative_gap_: float
    beta_hash_: str
    alphas_: NDArray[np.float64]
    coef_path_: scipy.sparse.csc_matrix
    intercepts_: NDArray[np.floating[Any]]
    dual_gaps_: NDArray[np.float64]
    relative_gaps_: NDArray[np.float64]
    converged_path_: NDArray[np.bool_]
    explained_: NDArray[np.float64]
    path_hash_: str
    alpha_: float
    alpha_1se_: float
    mse_path_: NDArray[np.float64]
    mean_mse_: NDArray[np.float64]
    scores_: NDArray[np.float64]
    mean_score_: NDArray[np.float64]
    standard_error_: NDArray[np.float64]
    measure_: str
    fold_converged_: NDArray[np.bool_]
    n_iter_: int
    converged_: bool
    stop_reason_: str
    notes_: list[str]
    config_: str
    seconds_: dict[str, float]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    covariate_names_: list[str]
    def __init__(self, *, eps: float | None = ..., n_alphas: int = ..., alphas: Iterable[float] | None = ..., early_end: bool = ..., cv: Any = ..., scoring: str | Callable[..., float] = ..., choice: str = ..., fit_intercept: bool = ..., scale: bool = ..., precompute: bool | str | ArrayLike = ..., max_iter: int | None = ..., tol: float | None = ..., copy_X: bool = ..., verbose: int | bool = ..., n_jobs: int | None = ..., positive: bool = ..., random_state: int | np.random.RandomState | np.random.Generator | None = ..., selection: str = ..., warm_start: bool = ..., callback: Callback | None = ..., cluster: Cluster | None = ..., options: Mapping[str, Any] | None = ...) -> None: ...
    @property
    def sparse_coef_(self) -> scipy.sparse.csr_matrix: ...
    def predict(self, X: Any, *, covariates: Any = ...) -> NDArray[Any]: ...
    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = ..., *, covariates: Any = ...) -> float: ...
    def fit(self, X: Any, y: Any = ..., sample_weight: ArrayLike | None = ..., *, groups: ArrayLike | None = ..., covariates: Any = ..., penalty_factors: ArrayLike | None = ...) -> Self: ...
    def plot(self, ax: Any = ..., **how: Any) -> Any: ...

class LassoPath(BaseEstimator):
    estimators_: list[LassoPath]
    response_: str
    best_index_: NDArray[np.int64]
    val_scores_: NDArray[np.float64]
    measure_: str
    chosen_: int
    alpha_: float
    split_scores_: dict[str, Any]
    best_estimator_: ElasticNet
    covariate_coef_: NDArray[np.float64]
    alphas_: NDArray[np.float64]
    coef_path_: scipy.sparse.csc_matrix
    intercepts_: NDArray[np.floating[Any]]
    dual_gaps_: NDArray[np.float64]
    relative_gaps_: NDArray[np.float64]
    converged_path_: NDArray[np.bool_]
    explained_: NDArray[np.float64]
    path_hash_: str
    n_iter_: int
    converged_: bool
    stop_reason_: str
    notes_: list[str]
    config_: str
    seconds_: dict[str, float]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    covariate_names_: list[str]
    def __init__(self, *, l1_ratio: float | Sequence[float] = ..., eps: float | None = ..., n_alphas: int = ..., alphas: Iterable[float] | None = ..., early_end: bool = ..., fit_intercept: bool = ..., scale: bool = ..., positive: bool = ..., tol: float | None = ..., max_iter: int | None = ..., n_jobs: int | None = ..., random_state: int | np.random.RandomState | np.random.Generator | None = ..., warm_start: bool = ..., callback: Callback | None = ..., cluster: Cluster | None = ..., options: Mapping[str, Any] | None = ...) -> None: ...
    def fit(self, X: Any, y: Any = ..., sample_weight: ArrayLike | None = ..., *, covariates: Any = ..., penalty_factors: ArrayLike | None = ..., split: ArrayLike | None = ..., check_input: bool = ...) -> Self: ...
    @property
    def coefs_(self) -> NDArray[np.float64]: ...
    def predict(self, X: Any, *, covariates: Any = ...) -> NDArray[Any] | list[NDArray[Any]]: ...
    def plot(self, ax: Any = ..., **how: Any) -> Any: ...

class LatentDirichletAllocation(TransformerMixin, BaseEstimator):
    components_: NDArray[np.float64]
    topic_word_: NDArray[np.float32]
    doc_topic_: NDArray[np.float32]
    doc_topic_prior_: NDArray[np.float64]
    topic_word_prior_: float
    words_: list[str] | None
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_iter_: int
    log_joint_per_token_: float
    held_out_perplexity_: float
    model_hash_: str
    converged_: bool
    stop_reason_: str
    notes_: list[str]
    config_: str
    def __init__(self, n_components: int = ..., *, doc_topic_prior: float | None = ..., topic_word_prior: float | None = ..., max_iter: int | None = ..., n_jobs: int | None = ..., random_state: int | np.random.RandomState | np.random.Generator | None = ..., callback: Callback | None = ..., options: Mapping[str, Any] | None = ...) -> None: ...
    def fit(self, X: Any, y: Any = ...) -> Self: ...
    def transform(self, X: Any) -> NDArray[np.float64]: ...
    def score(self, X: Any, y: Any = ...) -> float: ...
    def perplexity(self, X: Any) -> float: ...
    def save(self, directory: str | PathLike[str], force: bool = ...) -> None: ...
    @classmethod
    def load(cls, directory: str | PathLike[str]) -> Self: ...
    def get_feature_names_out(self, input_features: ArrayLike | None = ...) -> NDArray[Any]: ...

class LinearSVC(ClassifierMixin, BaseEstimator):
    coef_: NDArray[np.floating[Any]]
    intercept_: NDArray[np.floating[Any]]
    classes_: NDArray[Any]
    objective_: NDArray[np.float64]
    dual_gap_: NDArray[np.float64]
    relative_gap_: float
    n_support_: int
    model_hash_: str
    n_iter_: int
    converged_: bool
    stop_reason_: str
    notes_: list[str]
    config_: str
    seconds_: dict[str, float]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(self, penalty: str = ..., loss: str = ..., *, dual: bool | str = ..., tol: float | None = ..., C: float = ..., multi_class: str = ..., fit_intercept: bool = ..., intercept_scaling: float = ..., class_weight: Mapping[Any, float] | str | None = ..., verbose: int | bool = ..., random_state: int | np.random.RandomState | np.random.Generator | None = ..., max_iter: int | None = ..., n_jobs: int | None = ..., callback: Callback | None = ..., cluster: Cluster | None = ..., options: Mapping[str, Any] | None = ...) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = ...) -> Self: ...
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def sparsify(self) -> Self: ...
    def densify(self) -> Self: ...

class LogisticRegression(ClassifierMixin, BaseEstimator):
    estimators_: list[LogisticRegression]
    response_: str
    coef_: NDArray[np.floating[Any]]
    intercept_: NDArray[np.floating[Any]]
    covariate_coef_: NDArray[np.float64]
    dual_gap_: float
    relative_gap_: float
    beta_hash_: str
    n_iter_: int
    classes_: NDArray[Any]
    converged_: bool
    stop_reason_: str
    notes_: list[str]
    config_: str
    seconds_: dict[str, float]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    covariate_names_: list[str]
    def __init__(self, C: float = ..., *, penalty: str | None = ..., l1_ratio: float = ..., dual: bool = ..., tol: float | None = ..., fit_intercept: bool = ..., intercept_scaling: float = ..., class_weight: Mapping[Any, float] | str | None = ..., random_state: int | np.random.RandomState | np.random.Generator | None = ..., solver: str | None = ..., max_iter: int | None = ..., multi_class: str = ..., verbose: int | bool = ..., warm_start: bool = ..., n_jobs: int | None = ..., callback: Callback | None = ..., cluster: Cluster | None = ..., options: Mapping[str, Any] | None = ...) -> None: ...
    def sparsify(self) -> Self: ...
    def densify(self) -> Self: ...
    def decision_function(self, X: Any, *, covariates: Any = ..., offset: ArrayLike | None = ...) -> NDArray[np.float64]: ...
    def predict(self, X: Any, *, covariates: Any = ..., offset: ArrayLike | None = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: Any, *, covariates: Any = ..., offset: ArrayLike | None = ...) -> NDArray[np.float64] | list[NDArray[np.float64]]: ...
    def predict_log_proba(self, X: Any, *, covariates: Any = ..., offset: ArrayLike | None = ...) -> NDArray[np.float64] | list[NDArray[np.float64]]: ...
    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = ..., *, covariates: Any = ..., offset: ArrayLike | None = ...) -> float: ...
    def fit(self, X: Any, y: Any = ..., sample_weight: ArrayLike | None = ..., *, covariates: Any = ..., penalty_factors: ArrayLike | None = ..., offset: ArrayLike | None = ...) -> Self: ...

class LogisticRegressionCV(ClassifierMixin, BaseEstimator):
    estimators_: list[LogisticRegressionCV]
    response_: str
    coef_: NDArray[np.floating[Any]]
    intercept_: NDArray[np.floating[Any]]
    covariate_coef_: NDArray[np.float64]
    dual_gap_: float
    relative_gap_: float
    beta_hash_: str
    n_iter_: int
    classes_: NDArray[Any]
    C_: NDArray[np.float64]
    C_min_: float
    C_1se_: float
    Cs_: NDArray[np.float64]
    mean_error_: NDArray[np.float64]
    l1_ratio_: float
    dual_gaps_: NDArray[np.float64]
    relative_gaps_: NDArray[np.float64]
    converged_path_: NDArray[np.bool_]
    scores_: NDArray[np.float64]
    mean_score_: NDArray[np.float64]
    standard_error_: NDArray[np.float64]
    measure_: str
    fold_converged_: NDArray[np.bool_]
    converged_: bool
    stop_reason_: str
    notes_: list[str]
    config_: str
    seconds_: dict[str, float]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    covariate_names_: list[str]
    def __init__(self, *, Cs: int | Iterable[float] = ..., eps: float | None = ..., penalty: str | None = ..., l1_ratio: float | Sequence[float] = ..., fit_intercept: bool = ..., cv: Any = ..., dual: bool = ..., scoring: str | Callable[..., float] = ..., choice: str = ..., solver: str | None = ..., tol: float | None = ..., max_iter: int | None = ..., class_weight: Mapping[Any, float] | str | None = ..., n_jobs: int | None = ..., verbose: int | bool = ..., refit: bool = ..., intercept_scaling: float = ..., multi_class: str = ..., random_state: int | np.random.RandomState | np.random.Generator | None = ..., warm_start: bool = ..., callback: Callback | None = ..., cluster: Cluster | None = ..., options: Mapping[str, Any] | None = ...) -> None: ...
    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = ..., *, covariates: Any = ..., offset: ArrayLike | None = ...) -> float: ...
    def fit(self, X: Any, y: Any = ..., sample_weight: ArrayLike | None = ..., *, groups: ArrayLike | None = ..., covariates: Any = ..., penalty_factors: ArrayLike | None = ..., offset: ArrayLike | None = ...) -> Self: ...
    def sparsify(self) -> Self: ...
    def densify(self) -> Self: ...
    def decision_function(self, X: Any, *, covariates: Any = ..., offset: ArrayLike | None = ...) -> NDArray[np.float64]: ...
    def predict(self, X: Any, *, covariates: Any = ..., offset: ArrayLike | None = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: Any, *, covariates: Any = ..., offset: ArrayLike | None = ...) -> NDArray[np.float64] | list[NDArray[np.float64]]: ...
    def predict_log_proba(self, X: Any, *, covariates: Any = ..., offset: ArrayLike | None = ...) -> NDArray[np.float64] | list[NDArray[np.float64]]: ...
    def plot(self, ax: Any = ..., **how: Any) -> Any: ...

class LogisticRegressionPath(BaseEstimator):
    estimators_: list[LogisticRegressionPath]
    response_: str
    best_index_: NDArray[np.int64]
    val_scores_: NDArray[np.float64]
    measure_: str
    chosen_: int
    C_: float
    split_scores_: dict[str, Any]
    best_estimator_: LogisticRegression
    covariate_coef_: NDArray[np.float64]
    Cs_: NDArray[np.float64]
    classes_: NDArray[Any]
    n_iter_: NDArray[np.int32]
    coef_path_: scipy.sparse.csc_matrix
    intercepts_: NDArray[np.floating[Any]]
    dual_gaps_: NDArray[np.float64]
    relative_gaps_: NDArray[np.float64]
    converged_path_: NDArray[np.bool_]
    explained_: NDArray[np.float64]
    path_hash_: str
    converged_: bool
    stop_reason_: str
    notes_: list[str]
    config_: str
    seconds_: dict[str, float]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    covariate_names_: list[str]
    def __init__(self, *, Cs: int | Iterable[float] = ..., eps: float | None = ..., l1_ratio: float | Sequence[float] = ..., early_end: bool = ..., fit_intercept: bool = ..., class_weight: Mapping[Any, float] | str | None = ..., tol: float | None = ..., max_iter: int | None = ..., n_jobs: int | None = ..., random_state: int | np.random.RandomState | np.random.Generator | None = ..., warm_start: bool = ..., callback: Callback | None = ..., cluster: Cluster | None = ..., options: Mapping[str, Any] | None = ...) -> None: ...
    def fit(self, X: Any, y: Any = ..., sample_weight: ArrayLike | None = ..., *, covariates: Any = ..., penalty_factors: ArrayLike | None = ..., offset: ArrayLike | None = ..., split: ArrayLike | None = ...) -> Self: ...
    def decision_function(self, X: Any, *, covariates: Any = ..., offset: ArrayLike | None = ...) -> NDArray[np.float64] | list[NDArray[np.float64]]: ...
    def predict(self, X: Any, *, covariates: Any = ..., offset: ArrayLike | None = ...) -> NDArray[Any] | list[NDArray[Any]]: ...
    def predict_proba(self, X: Any, *, covariates: Any = ..., offset: ArrayLike | None = ...) -> NDArray[np.float64] | list[NDArray[np.float64]]: ...
    @property
    def coefs_(self) -> NDArray[np.float64]: ...
    def plot(self, ax: Any = ..., **how: Any) -> Any: ...

class MatrixFactorization(BaseEstimator):
    user_factors_: NDArray[np.float32]
    item_factors_: NDArray[np.float32]
    user_bias_: NDArray[np.float32]
    item_bias_: NDArray[np.float32]
    user_counts_: NDArray[np.uint32]
    item_counts_: NDArray[np.uint32]
    user_ids_: NDArray[Any]
    item_ids_: NDArray[Any]
    mean_: float
    range_: tuple[float, float]
    unit_: float
    n_iter_: int
    objective_: float
    rmse_train_: float
    rmse_validation_: float
    rmse_test_: float
    model_hash_: str
    converged_: bool
    stop_reason_: str
    notes_: list[str]
    config_: str
    def __init__(self, n_components: int | None = ..., *, alpha: float | None = ..., solver: str | None = ..., bias: bool = ..., early_stopping: bool = ..., max_iter: int | None = ..., tol: float | None = ..., n_jobs: int | None = ..., random_state: int | np.random.RandomState | np.random.Generator | None = ..., callback: Callback | None = ..., cluster: Cluster | None = ..., options: Mapping[str, Any] | None = ...) -> None: ...
    def fit(self, X: Any, y: Any = ...) -> Self: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def score(self, X: Any, y: Any = ...) -> float: ...
    def recommend(self, user: int | str, n: int = ..., exclude: Any = ...) -> tuple[Any, Any]: ...
    def save(self, directory: str | PathLike[str], force: bool = ...) -> None: ...
    @classmethod
    def load(cls, directory: str | PathLike[str]) -> Self: ...

class Pgen:
    def __init__(self, prefix: str | PathLike[str], **options: Any) -> None: ...
    @property
    def samples(self) -> pd.DataFrame: ...
    @property
    def variants(self) -> pd.DataFrame: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...

class PoissonLasso(RegressorMixin, BaseEstimator):
    estimators_: list[PoissonLasso]
    response_: str
    coef_: NDArray[np.floating[Any]]
    intercept_: float
    covariate_coef_: NDArray[np.float64]
    dual_gap_: float
    relative_gap_: float
    beta_hash_: str
    n_iter_: int
    converged_: bool
    stop_reason_: str
    notes_: list[str]
    config_: str
    seconds_: dict[str, float]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    covariate_names_: list[str]
    def __init__(self, alpha: float = ..., *, l1_ratio: float = ..., fit_intercept: bool = ..., max_iter: int | None = ..., tol: float | None = ..., warm_start: bool = ..., positive: bool = ..., random_state: int | np.random.RandomState | np.random.Generator | None = ..., n_jobs: int | None = ..., callback: Callback | None = ..., cluster: Cluster | None = ..., options: Mapping[str, Any] | None = ...) -> None: ...
    @property
    def sparse_coef_(self) -> scipy.sparse.csr_matrix: ...
    def predict(self, X: Any, *, covariates: Any = ..., offset: ArrayLike | None = ...) -> NDArray[Any]: ...
    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = ..., *, covariates: Any = ..., offset: ArrayLike | None = ...) -> float: ...
    def fit(self, X: Any, y: Any = ..., sample_weight: ArrayLike | None = ..., *, covariates: Any = ..., penalty_factors: ArrayLike | None = ..., offset: ArrayLike | None = ...) -> Self: ...

class PoissonLassoCV(RegressorMixin, BaseEstimator):
    estimators_: list[PoissonLassoCV]
    response_: str
    coef_: NDArray[np.floating[Any]]
    intercept_: float
    covariate_coef_: NDArray[np.float64]
    dual_gap_: float
    relative_gap_: float
    beta_hash_: str
    alphas_: NDArray[np.float64]
    coef_path_: scipy.sparse.csc_matrix
    intercepts_: NDArray[np.floating[Any]]
    dual_gaps_: NDArray[np.float64]
    relative_gaps_: NDArray[np.float64]
    converged_path_: NDArray[np.bool_]
    explained_: NDArray[np.float64]
    path_hash_: str
    alpha_: float
    alpha_1se_: float
    l1_ratio_: float
    scores_: NDArray[np.float64]
    mean_score_: NDArray[np.float64]
    standard_error_: NDArray[np.float64]
    measure_: str
    fold_converged_: NDArray[np.bool_]
    n_iter_: int
    converged_: bool
    stop_reason_: str
    notes_: list[str]
    config_: str
    seconds_: dict[str, float]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    covariate_names_: list[str]
    def __init__(self, *, l1_ratio: float | Sequence[float] = ..., eps: float | None = ..., n_alphas: int = ..., alphas: Iterable[float] | None = ..., early_end: bool = ..., cv: Any = ..., scoring: str | Callable[..., float] = ..., choice: str = ..., fit_intercept: bool = ..., max_iter: int | None = ..., tol: float | None = ..., n_jobs: int | None = ..., positive: bool = ..., random_state: int | np.random.RandomState | np.random.Generator | None = ..., warm_start: bool = ..., callback: Callback | None = ..., cluster: Cluster | None = ..., options: Mapping[str, Any] | None = ...) -> None: ...
    def fit(self, X: Any, y: Any = ..., sample_weight: ArrayLike | None = ..., *, groups: ArrayLike | None = ..., covariates: Any = ..., penalty_factors: ArrayLike | None = ..., offset: ArrayLike | None = ...) -> Self: ...
    @property
    def sparse_coef_(self) -> scipy.sparse.csr_matrix: ...
    def predict(self, X: Any, *, covariates: Any = ..., offset: ArrayLike | None = ...) -> NDArray[Any]: ...
    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = ..., *, covariates: Any = ..., offset: ArrayLike | None = ...) -> float: ...
    def plot(self, ax: Any = ..., **how: Any) -> Any: ...

class PoissonLassoPath(BaseEstimator):
    estimators_: list[PoissonLassoPath]
    response_: str
    best_index_: NDArray[np.int64]
    val_scores_: NDArray[np.float64]
    measure_: str
    chosen_: int
    alpha_: float
    split_scores_: dict[str, Any]
    best_estimator_: PoissonLasso
    covariate_coef_: NDArray[np.float64]
    alphas_: NDArray[np.float64]
    coef_path_: scipy.sparse.csc_matrix
    intercepts_: NDArray[np.floating[Any]]
    dual_gaps_: NDArray[np.float64]
    relative_gaps_: NDArray[np.float64]
    converged_path_: NDArray[np.bool_]
    explained_: NDArray[np.float64]
    path_hash_: str
    n_iter_: int
    converged_: bool
    stop_reason_: str
    notes_: list[str]
    config_: str
    seconds_: dict[str, float]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    covariate_names_: list[str]
    def __init__(self, *, l1_ratio: float | Sequence[float] = ..., eps: float | None = ..., n_alphas: int = ..., alphas: Iterable[float] | None = ..., early_end: bool = ..., fit_intercept: bool = ..., positive: bool = ..., tol: float | None = ..., max_iter: int | None = ..., n_jobs: int | None = ..., random_state: int | np.random.RandomState | np.random.Generator | None = ..., warm_start: bool = ..., callback: Callback | None = ..., cluster: Cluster | None = ..., options: Mapping[str, Any] | None = ...) -> None: ...
    def fit(self, X: Any, y: Any = ..., sample_weight: ArrayLike | None = ..., *, covariates: Any = ..., penalty_factors: ArrayLike | None = ..., offset: ArrayLike | None = ..., split: ArrayLike | None = ...) -> Self: ...
    def predict(self, X: Any, *, covariates: Any = ..., offset: ArrayLike | None = ...) -> NDArray[Any] | list[NDArray[Any]]: ...
    @property
    def coefs_(self) -> NDArray[np.float64]: ...
    def plot(self, ax: Any = ..., **how: Any) -> Any: ...

class Slim(BaseEstimator):
    item_weights_: scipy.sparse.csr_matrix
    coef_: scipy.sparse.csc_matrix
    objectives_: NDArray[np.float64]
    dual_gaps_: NDArray[np.float64]
    relative_gaps_: NDArray[np.float64]
    item_ids_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    model_hash_: str
    converged_: bool
    stop_reason_: str
    notes_: list[str]
    config_: str
    def __init__(self, l1: float | None = ..., l2: float | None = ..., *, user_power: float | None = ..., item_power: float | None = ..., positive_from: float | None = ..., tol: float | None = ..., n_jobs: int | None = ..., callback: Callback | None = ..., cluster: Cluster | None = ..., options: Mapping[str, Any] | None = ...) -> None: ...
    def fit(self, X: Any, y: Any = ...) -> Self: ...
    def recommend(self, userid: Any, user_items: Any, N: int = ..., filter_already_liked_items: bool = ..., filter_items: ArrayLike | None = ..., items: ArrayLike | None = ...) -> tuple[Any, Any]: ...
    def similar_items(self, itemid: int | str, N: int = ...) -> tuple[Any, Any]: ...
    def evaluate(self, train_user_items: Any, test_user_items: Any, K: int | Iterable[int] = ..., *, relevant: float | None = ...) -> pd.DataFrame: ...
    def save(self, directory: str | PathLike[str], force: bool = ...) -> None: ...
    @classmethod
    def load(cls, directory: str | PathLike[str]) -> Self: ...

class StradsError(RuntimeError): ...

class SummaryLasso(BaseEstimator):
    coef_: NDArray[np.float64]
    coef_path_: scipy.sparse.csc_matrix
    standardized_path_: scipy.sparse.csc_matrix
    shrinks_: NDArray[np.float64]
    alphas_: NDArray[np.float64]
    objectives_: NDArray[np.float64]
    gaps_: NDArray[np.float64]
    relative_gaps_: NDArray[np.float64]
    n_nonzero_: NDArray[np.int64]
    shrink_: float
    alpha_: float
    chosen_by_: str
    measure_: str
    measured_: NDArray[np.float64]
    variants_: NDArray[np.int64]
    blocks_: NDArray[np.int64]
    r_: NDArray[np.float64]
    dropped_: dict[str, int]
    weights_: str
    model_hash_: str
    n_iter_: int
    converged_: bool
    stop_reason_: str
    notes_: list[str]
    config_: str
    seconds_: dict[str, float]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(self, *, shrinks: float | Sequence[float] = ..., eps: float | None = ..., n_alphas: int = ..., alphas: Iterable[float] | None = ..., tol: float | None = ..., n_jobs: int | None = ..., random_state: int | np.random.RandomState | np.random.Generator | None = ..., callback: Callback | None = ..., cluster: Cluster | None = ..., options: Mapping[str, Any] | None = ...) -> None: ...
    def fit(self, X: Any, sumstats: str | PathLike[str] | Iterable[str | PathLike[str]] | None = ..., *, r: ArrayLike | None = ..., beta: ArrayLike | None = ..., se: ArrayLike | None = ..., p: ArrayLike | None = ..., n: float | ArrayLike | None = ..., frequency: ArrayLike | None = ..., blocks: ArrayLike | None = ..., ld_blocks: str | PathLike[str] | None = ..., validation: tuple[Any, Any] | None = ...) -> Self: ...
    def coef(self, shrink: float, alpha: float) -> NDArray[np.float64]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...

class UsageError(ValueError): ...

class WithCovariates:
    X: Any
    covariates: Any
    offset: Any
    def __init__(self, X: Any, covariates: Any = ..., offset: ArrayLike | None = ...) -> None: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, rows: Any) -> Self: ...

def enet_path(X: Any, y: Any, *, l1_ratio: float = ..., eps: float | None = ..., n_alphas: int = ..., alphas: Iterable[float] | None = ..., precompute: bool | str | ArrayLike = ..., Xy: None = ..., copy_X: bool = ..., coef_init: None = ..., verbose: int | bool = ..., return_n_iter: bool = ..., positive: bool = ..., check_input: bool = ..., **params: Any) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...

def lasso_path(X: Any, y: Any, *, eps: float | None = ..., n_alphas: int = ..., alphas: Iterable[float] | None = ..., precompute: bool | str | ArrayLike = ..., Xy: None = ..., copy_X: bool = ..., coef_init: None = ..., verbose: int | bool = ..., return_n_iter: bool = ..., positive: bool = ..., **params: Any) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...

class progress_bar:
    def __init__(self, tolerance: float = ..., **options: Any) -> None: ...
    def __call__(self, facts: Mapping[str, Any]) -> bool: ...
    def close(self) -> None: ...
