"""Docstrings: what parameters and attributes are, said once for all estimators. The stubs take types from here, too."""

from inspect import signature

# parameter -> (type, what it is). A default is added; of a class that differs "Class.parameter" says so.
PARAMETERS = {
    "alpha": ("float", "Weight of the penalty, at least 0; 0 is least squares, with a warning."),
    "objective": ("str or None", "'ials', or 'hu': that of Hu, Koren and Volinsky, whose weight of a chosen pair is 1 + alpha x "
                                 "count and of any other pair 1; None: ials."),
    "ImplicitFactorization.alpha": ("float or None", "objective='hu': by what a chosen pair's count is multiplied, above 0; None: 1. "
                                                     "The package implicit calls alpha x count what is 1 + alpha x count here."),
    "regularization": ("float or None", "objective='hu': weight of the squares of factors, the same for all rows; None: 0.01."),
    "reg": ("float or None", "Not with objective='hu': weight of the squares of factors, which grows with nu; None: 0.01."),
    "MatrixFactorization.alpha": ("float or None", "Weight of the squares of factors and biases; None: the solver's own."),
    "PoissonLasso.alpha": ("float", "Weight of the penalty, above 0; without one there is "
                                    "sklearn.linear_model.PoissonRegressor(alpha=0)."),
    "C": ("float", "Weight of the losses against the penalty, above 0; inf: no penalty, with a warning."),
    "l1_ratio": ("float", "Share of the l1 norm in the penalty, from 0 (ridge) to 1 (the Lasso)."),
    "Path.l1_ratio": ("float or list of float", "Share of the l1 norm in the penalty, from 0 (ridge) to 1 (the Lasso); of a list "
                                                "a path for each."),
    "ElasticNetCV.l1_ratio": ("float or list of float", "Share of the l1 norm, from 0 to 1; of a list the best is chosen."),
    "LogisticRegressionCV.l1_ratio": ("float or list of float",
                                      "Share of the l1 norm, from 0 to 1; of a list the best is chosen."),
    "PoissonLassoCV.l1_ratio": ("float or list of float",
                                "Share of the l1 norm, from 0 to 1; of a list the best is chosen."),
    "shrinks": ("list of float", "Shrinkages s in (0, 1]: the panel's X'X becomes (1 - s) X'X + s I. lassosum2's delta is "
                                 "s / (1 - s)."),
    "SummaryLasso.alphas": ("list of float or None", "Weights of the penalty, on the scale of correlations; None: a grid."),
    "SummaryLasso.eps": ("float or None", "Smallest alpha of the grid over the largest; None: 0.1."),
    "SummaryLasso.tol": ("float or None", "Each LD block is solved to a gap of so much of its |objective|; None: 1e-6."),
    "fit_intercept": ("bool", "Whether there is an intercept, which has no penalty."),
    "scale": ("bool", "Whether every column is divided by its standard deviation, as by a StandardScaler before the fit; "
                      "coef_ is in units of the data all the same."),
    "positive": ("bool", "Whether all coefficients are at least 0."),
    "LinearSVC.C": ("float", "Weight of the losses beside 1/2 ||w||^2, above 0."),
    "LinearSVC.fit_intercept": ("bool", "Whether there is a constant variable, whose coefficient has the penalty of the others."),
    "LinearSVC.intercept_scaling": ("float", "The value of that variable: the larger it is, the less the penalty of the intercept "
                                             "matters. The command's bias."),
    "LinearSVC.penalty": ("str, 'l2'", "Half the squares of the coefficients."),
    "LinearSVC.dual": ("bool or 'auto'", "Changes no result: it is the dual problem that is solved, and the gap to the primal "
                                         "objective that is told."),
    "LinearSVC.multi_class": ("str, 'ovr'", "Of more than two classes each is fitted against the rest."),
    "LinearSVC.class_weight": ("dict, 'balanced' or None", "By class, what C is multiplied with where a sample is of this class; "
                                                           "'balanced': n_samples / (n_classes x samples of the class). Against "
                                                           "the rest the rest has 1, as in scikit-learn."),
    "loss": ("str, 'hinge' or 'squared_hinge'", "Of a sample with margin m = y (w'x + b): max(0, 1 - m), or its square."),
    "tol": ("float or None", "A solution is there when its duality gap is at most tol x objective; None: 1e-6."),
    "ImplicitFactorization.tol": ("float or None", "The fit ends when a sweep lowers the objective by less than this share."),
    "ImplicitFactorization.max_iter": ("int or None", "Most sweeps over all pairs; None: the solver's own."),
    "ImplicitFactorization.solver": ("str or None", "'als', 'cd' (iALS++) or 'cg'; None: als, exact rows."),
    "alpha0": ("float or None", "Not with objective='hu': weight of the pairs that were not chosen, above 0; None: 0.03."),
    "nu": ("float or None", "Not with objective='hu': how penalties grow with the pairs of a row: 0 is the same for all, 1 in "
                            "proportion; None: 1."),
    "confidence": ("str or None", "What a chosen pair counts: 'ones', 'linear' its count, 'log' log2(1 + count); None: ones, of "
                                  "objective='hu' linear."),
    "positive_from": ("float or None", "Only pairs with a value of at least this were chosen; None: all."),
    "l1": ("float or None", "Weight of the sum of an item's weights; None: 1. An item that meets another in no more than l1 users "
                            "never speaks for it."),
    "l2": ("float or None", "Weight of half of the sum of their squares, above 0; None: 30."),
    "user_power": ("float or None", "A user with c pairs counts c^-user_power times; None: 0, all alike."),
    "item_power": ("float or None", "An item with c pairs enters with c^-item_power in place of 1; None: 0."),
    "Slim.tol": ("float or None", "An item is done when its gap is at most tol x objective; None: 1e-6."),
    "MatrixFactorization.tol": ("float or None", "The fit ends when a sweep lowers the objective by less than this share."),
    "max_iter": ("int or None", "Most rounds of a fit, after which it ends with a ConvergenceWarning; None: no limit."),
    "MatrixFactorization.max_iter": ("int or None", "Most sweeps over all ratings; None: the solver's own."),
    "LatentDirichletAllocation.n_components": ("int", "Number of topics."),
    "LatentDirichletAllocation.max_iter": ("int or None", "Sweeps over all tokens; None: 200."),
    "doc_topic_prior": ("float or None", "Prior of each topic in a document (alpha); None: 50 / n_components."),
    "topic_word_prior": ("float or None", "Prior of each word in a topic (beta); None: 0.01."),
    "n_jobs": ("int or None", "Threads; None and -1: all cores, -2: all but one. It changes no bit of a result."),
    "random_state": ("int, RandomState, Generator or None",
                     "Seed of what is drawn, or what draws it; None: the same one every time."),
    "callback": ("callable or None", "Called with a dict at each certificate; where it returns true the fit ends in order."),
    "cluster": ("Cluster or None", "Nodes that compute the fit, with the same bits."),
    "options": ("dict or None", "Any other option of the program, by name: {'missing': 'mean', 'workers': 16}."),
    "eps": ("float or None", "Smallest alpha of the grid over the largest; None: 0.01 where there are more columns than "
                             "samples, else 0.0001."),
    "LogisticRegression.eps": ("float or None", "Largest C of a grid over the smallest is 1 / eps."),
    "n_alphas": ("int", "Number of alphas of the grid."),
    "alphas": ("array of float or None", "All at least 0, in place of a grid; 0 is least squares, with a warning."),
    "PoissonLasso.alphas": ("array of float or None", "All above 0, in place of a grid."),
    "early_end": ("bool", "Whether the grid ends where a further alpha explains hardly more, as glmnet's does."),
    "cv": ("int, splitter, iterable or None",
           "What scikit-learn takes: a number of folds (5 where None), a splitter, or pairs of (rows to fit, rows held out). "
           "Of data on disk a number, or the file of folds."),
    "choice": ("str, 'min' or '1se'", "Which solution is kept: that of the least error, or of the largest penalty within one "
                                 "standard error of it."),
    "Cs": ("int or array of float", "Number of Cs of a grid, or all of them, above 0; inf: no penalty, with a "
                                "warning."),
    "scoring": ("str or callable", "What is measured on the samples held out: 'mse', 'mae', or a scorer of scikit-learn: its "
                                   "name, or a callable (estimator, X, y)."),
    "LogisticRegressionCV.scoring": (
        "str or callable", "What is measured on the samples held out: 'deviance', 'class' (share misclassified), 'auc', "
                           "'mse', 'mae', or a scorer of scikit-learn: its name, or a callable (estimator, X, y)."),
    "PoissonLasso.scoring": (
        "str or callable", "What is measured on the samples held out: 'deviance', 'mse', 'mae', or a scorer of scikit-learn: "
                           "its name, or a callable (estimator, X, y)."),
    "precompute": ("bool, 'auto' or matrix", "Changes no result. Of a matrix one element is compared with that of X'X."),
    "copy_X": ("bool", "Changes no result: X is never overwritten, and copied only where it has to be."),
    "selection": ("str, 'cyclic' or 'random'", "Changes no result: the solver chooses the order of the columns itself."),
    "warm_start": ("bool", "Whether the fit begins with the coefficients of the one before. The result is certified as "
                           "ever, so that this only saves time."),
    "verbose": ("int or bool", "0; callback=strads.progress_bar() shows how a fit goes on."),
    "LogisticRegressionCV.penalty": ("str, 'l1', 'l2' or 'elasticnet'", "'elasticnet': the mixture that l1_ratio says, which is "
                                                                   "l1 at its default, 1."),
    "penalty": ("str, 'l1', 'l2', 'elasticnet' or None", "'elasticnet': the mixture that l1_ratio says, which is l1 at its "
                                                    "default, 1. None: no penalty, as C=inf."),
    "LogisticRegression.solver": ("str or None", "Changes no result: the name of any solver of scikit-learn is taken, since "
                                                 "all look for one optimum; 'liblinear', which has a penalty of the "
                                                 "intercept, with a warning."),
    "dual": ("bool", "Changes no result."),
    "intercept_scaling": ("float", "Changes no result: the intercept has no penalty."),
    "class_weight": ("dict, 'balanced' or None", "Weights of the classes, which are multiplied with those of the samples; "
                                                 "'balanced': n_samples / (2 x samples of the class)."),
    "multi_class": ("str, 'auto' or 'ovr'", "Of two classes they are the same. 'multinomial', whose penalty counts the "
                                       "coefficients of both classes, is refused."),
    "refit": ("bool", "True: coef_ is the fit of all samples."),
    "n_components": ("int or None", "Number of factors; None: 16."),
    "solver": ("str or None", "'sgd', 'als', 'ccd' or 'cd'; None: the program chooses."),
    "bias": ("bool", "Whether users and items have numbers of their own that are added."),
    "early_stopping": ("bool", "Whether the fit ends when ratings that are set aside are predicted no better."),
}

_F64 = "NDArray[np.float64]"
_FLOATS = "NDArray[np.floating[Any]]"
_OUTCOME = {
    "n_iter_": ("int", "", "Rounds of the solver."),
    "converged_": ("bool", "", "Whether every solution meets tol."),
    "stop_reason_": ("str", "", "Why the fit ended: 'converged', 'max_iter', 'signal', 'no progress left in double "
                                "precision' and others."),
    "notes_": ("list[str]", "", "What the fit has to say of data and options."),
    "config_": ("str", "", "All options, as a config file of the program."),
    "seconds_": ("dict[str, float]", "", "Of loading, solving and checking."),
    "n_features_in_": ("int", "", "Columns of X."),
    "feature_names_in_": ("NDArray[Any]", "(n_features,)", "Where X was a table: names of its columns."),
    "covariate_names_": ("list[str]", "", "Names of the covariates, in their order; covariate0 ... where they had none."),
}
_SOLUTION = {
    "coef_": (_FLOATS, "(n_features,)", "Coefficients, float32 where X was."),
    "intercept_": ("float", "", "0 without one."),
    "covariate_coef_": (_F64, "(n_covariates,)", "Coefficients of the covariates."),
    "dual_gap_": ("float", "", "The objective of scikit-learn's units is at most so far above its optimum: recomputed from "
                               "the data, before coefficients are rounded to float32."),
    "relative_gap_": ("float", "", "The gap over the objective, which tol bounds."),
    "beta_hash_": ("str", "", "Hash of the coefficients, as the program shows it."),
}
_CERTIFIED = {
    "dual_gaps_": (_F64, "({n},)", "Duality gap of each, in units of the objective."),
    "relative_gaps_": (_F64, "({n},)", "Gap over objective of each, which tol bounds."),
    "converged_path_": ("NDArray[np.bool_]", "({n},)", "Whether each meets tol."),
}
_PATH = {
    "alphas_": (_F64, "(n_alphas,)", "Descending; of several l1_ratio (n_ratios, n_alphas)."),
    "coef_path_": ("scipy.sparse.csc_matrix", "(n_features, n_alphas)", "Coefficients of every alpha."),
    "intercepts_": (_FLOATS, "(n_alphas,)", "Intercepts."),
    **_CERTIFIED,
    "explained_": (_F64, "(n_alphas,)", "R2 of the samples of the fit."),
    "path_hash_": ("str", "", "Hash of all solutions."),
}
_CV = {
    "scores_": (_F64, "({n}, n_folds)", "What measure_ says of each fold; of several l1_ratio one more dimension in front."),
    "mean_score_": (_F64, "({n},)", "Mean of scores_ over the folds."),
    "standard_error_": (_F64, "({n},)", "Of that mean."),
    "measure_": ("str", "", "What was measured; of 'auc' and of scikit-learn's scorers more is better."),
    "fold_converged_": ("NDArray[np.bool_]", "({n}, n_folds)", "Whether each solution without a fold meets tol."),
}
_LINEAR_CV = {
    "alpha_": ("float", "", "That of the best mean score."),
    "alpha_1se_": ("float", "", "The largest within one standard error of it."),
    "mse_path_": (_F64, "(n_alphas, n_folds)", "scores_, where scoring is 'mse'."),
    "mean_mse_": (_F64, "(n_alphas,)", "mean_score_, where scoring is 'mse'."),
}
_DEVIANCE_EXPLAINED = {"explained_": (_F64, "(n_alphas,)", "Share of the deviance of the fit's samples that is explained.")}
_RATIO = {"l1_ratio_": ("float", "", "The one that was chosen.")}
_CLASSES = {"n_iter_": ("NDArray[np.int32]", "(1,)", "Rounds of the solver."),
            "classes_": ("NDArray[Any]", "(2,)", "The two classes; log-odds are those of the second."),
            "coef_": (_FLOATS, "(1, n_features)", "Coefficients, float32 where X was."),
            "intercept_": (_FLOATS, "(1,)", "0 without one.")}


def _with(size, *tables):
    return {name: (kind, shape.replace("{n}", size), text) for table in tables for name, (kind, shape, text) in table.items()}


ATTRIBUTES = {
    "Lasso": {**_SOLUTION, **_OUTCOME},
    "ElasticNet": {**_SOLUTION, **_OUTCOME},
    "LassoPath": _with("n_alphas", {"covariate_coef_": (_F64, "(n_covariates, n_alphas)", "Of every alpha.")}, _PATH, _OUTCOME),
    "LassoCV": _with("n_alphas", _SOLUTION, _PATH, _LINEAR_CV, _CV, _OUTCOME),
    "ElasticNetCV": _with("n_alphas", _SOLUTION, _PATH, _LINEAR_CV, _RATIO, _CV, _OUTCOME),
    "PoissonLasso": {**_SOLUTION, **_OUTCOME},
    "PoissonLassoPath": _with("n_alphas", {"covariate_coef_": (_F64, "(n_covariates, n_alphas)", "Of every alpha.")}, _PATH,
                              _DEVIANCE_EXPLAINED, _OUTCOME),
    "PoissonLassoCV": _with("n_alphas", _SOLUTION, _PATH, _DEVIANCE_EXPLAINED,
                            {name: _LINEAR_CV[name] for name in ("alpha_", "alpha_1se_")}, _RATIO, _CV, _OUTCOME),
    "LogisticRegression": {**_SOLUTION, **_CLASSES, **_OUTCOME},
    "LogisticRegressionCV": _with("n_Cs", _SOLUTION, _CLASSES, {
        "C_": (_F64, "(1,)", "That of `choice`."),
        "C_min_": ("float", "", "That of the best mean score."),
        "C_1se_": ("float", "", "The smallest within one standard error of it."),
        "Cs_": (_F64, "(n_Cs,)", "Ascending; of several l1_ratio (n_ratios, n_Cs)."),
        "mean_error_": (_F64, "(n_Cs,)", "The same as mean_score_."),
    }, _RATIO, _CERTIFIED, _CV, _OUTCOME),
    "LogisticRegressionPath": {
        **_with("n_Cs", {"covariate_coef_": (_F64, "(n_covariates, n_Cs)", "Of every C."),
                         "Cs_": (_F64, "(n_Cs,)", "Ascending."), "classes_": _CLASSES["classes_"],
                         "n_iter_": _CLASSES["n_iter_"]},
                {name: (kind, shape.replace("n_alphas", "n_Cs"), text.replace("alpha", "C"))
                 for name, (kind, shape, text) in {**_PATH, **_DEVIANCE_EXPLAINED}.items() if name != "alphas_"},
                {name: one for name, one in _OUTCOME.items() if name != "n_iter_"}),
    },
    "LatentDirichletAllocation": {
        "components_": (_F64, "(n_components, n_words)", "Tokens of a word that have a topic, and topic_word_prior_."),
        "topic_word_": ("NDArray[np.float32]", "(n_components, n_words)", "The same as shares: rows sum to 1."),
        "doc_topic_": ("NDArray[np.float32]", "(n_documents, n_components)",
                       "Shares of topics of the documents of the fit, from the topics of their tokens; rows sum to 1."),
        "doc_topic_prior_": (_F64, "(n_components,)", "Alpha of each topic, which the option optimise fits."),
        "topic_word_prior_": ("float", "", "Beta."),
        "words_": ("list[str] | None", "", "Of a corpus in a file: its words, in the order of the columns."),
        "n_features_in_": ("int", "", "Words."),
        "feature_names_in_": ("NDArray[Any]", "(n_words,)", "Names of the columns of a table."),
        "n_iter_": ("int", "", "Sweeps."),
        "log_joint_per_token_": ("float", "", "ln p(words, topics) a token."),
        "held_out_perplexity_": ("float", "", "Of the documents of the option held_out or test; nan where there are none."),
        "model_hash_": ("str", "", "Hash of the topics of all tokens."),
        **{name: _OUTCOME[name] for name in ("converged_", "stop_reason_", "notes_", "config_")},
    },
    "LinearSVC": {
        "coef_": (_FLOATS, "(n_planes, n_features)", "Coefficients, float32 where X was: of two classes one row, of more one for "
                                                    "each."),
        "intercept_": (_FLOATS, "(n_planes,)", "0 without one."),
        "classes_": ("NDArray[Any]", "(n_classes,)", "In order; of two the second has the decision values above 0."),
        "objective_": (_F64, "(n_planes,)", "1/2 ||w||^2 + C sum of losses of each row, recomputed from the data."),
        "dual_gap_": (_F64, "(n_planes,)", "Each objective is at most so far above its optimum."),
        "relative_gap_": ("float", "", "The largest gap over its objective, which tol bounds."),
        "n_support_": ("int", "", "Samples with a dual variable above 0, of all rows together."),
        "model_hash_": ("str", "", "Hash of the coefficients, as the program shows it."),
        **{name: one for name, one in _OUTCOME.items() if name != "covariate_names_"},
    },
    "SummaryLasso": {
        "coef_": (_F64, "(n_features,)", "Effects of a copy (or a unit of X) of the chosen solution; 0 where every one is empty."),
        "coef_path_": ("scipy.sparse.csc_matrix", "(n_features, n_points)",
                       "Effects of all solutions: all alphas of the first shrinkage, then of the next."),
        "standardized_path_": ("scipy.sparse.csc_matrix", "(n_features, n_points)", "The same on columns of unit norm: b."),
        "shrinks_": (_F64, "(n_shrinks,)", "The shrinkages, ascending."),
        "alphas_": (_F64, "(n_alphas,)", "The alphas, descending."),
        "objectives_": (_F64, "(n_shrinks, n_alphas)", "Of each solution, summed over the LD blocks."),
        "gaps_": (_F64, "(n_shrinks, n_alphas)", "Each objective is at most so far above its optimum, recomputed from the panel."),
        "relative_gaps_": (_F64, "(n_shrinks, n_alphas)", "The largest gap / |objective| of an LD block, which tol bounds."),
        "n_nonzero_": ("NDArray[np.int64]", "(n_shrinks, n_alphas)", "Variants of each solution."),
        "shrink_": ("float", "", "That of the chosen solution; NaN where every one is empty."),
        "alpha_": ("float", "", "That of the chosen solution; NaN where every one is empty."),
        "chosen_by_": ("str", "", "'validation', 'pseudo-validation', or 'none' where every solution is empty."),
        "measure_": ("str", "", "What chose: 'r2', 'auc' or 'pseudo_correlation'. That of those who chose is optimistic."),
        "measured_": (_F64, "(n_shrinks, n_alphas)", "That measure of each solution; NaN of an empty one."),
        "variants_": ("NDArray[np.int64]", "(n_kept,)", "Columns of the panel that take part, LD block after LD block."),
        "blocks_": ("NDArray[np.int64]", "(n_kept,)", "Number of the LD block of each of these."),
        "r_": (_F64, "(n_kept,)", "Correlation with the trait of each of these."),
        "dropped_": ("dict[str, int]", "", "How many variants were left out, by reason."),
        "weights_": ("str", "", "How effects come from b, with their units."),
        "model_hash_": ("str", "", "Hash of all solutions, as the program shows it."),
        **{name: one for name, one in _OUTCOME.items() if name != "covariate_names_"},
    },
    "MatrixFactorization": {
        "user_factors_": ("NDArray[np.float32]", "(n_users, n_components)", "Factors of the users."),
        "item_factors_": ("NDArray[np.float32]", "(n_items, n_components)", "Factors of the items."),
        "user_bias_": ("NDArray[np.float32]", "(n_users,)", "Added to all ratings of a user."),
        "item_bias_": ("NDArray[np.float32]", "(n_items,)", "Added to all ratings of an item."),
        "user_counts_": ("NDArray[np.uint32]", "(n_users,)", "Ratings of the fit."),
        "item_counts_": ("NDArray[np.uint32]", "(n_items,)", "Ratings of the fit."),
        "user_ids_": ("NDArray[Any]", "(n_users,)",
                      "Row k of the users' arrays is this user. Ids of a table in rising order; of a matrix the numbers of its "
                      "rows; of a file text in its order, or where they are numbers with hardly a gap in theirs: row 7 is '7'. "
                      "Rows without ratings have zeros."),
        "item_ids_": ("NDArray[Any]", "(n_items,)", "Row k of the items' arrays is this item, likewise."),
        "mean_": ("float", "", "Of the ratings."),
        "range_": ("tuple[float, float]", "", "Smallest and largest rating, to which predictions are cut."),
        "unit_": ("float", "", "What the ratings were divided by while the factors were fitted; 1 for stars. Everything here is "
                                "in the unit of the ratings."),
        "n_iter_": ("int", "", "Sweeps."),
        "objective_": ("float", "", "What was minimised."),
        "rmse_train_": ("float", "", "Root mean squared error of the ratings of the fit."),
        "rmse_validation_": ("float", "", "Of those set aside for early_stopping; nan where none were."),
        "rmse_test_": ("float", "", "Of those that the option holdout sets aside; nan where none were."),
        "model_hash_": ("str", "", "Hash of factors and biases."),
        **{name: _OUTCOME[name] for name in ("converged_", "stop_reason_", "notes_", "config_")},
    },
}
_CHOICES = {
    name: (kind, shape, text.replace("Ratings of the fit", "Chosen pairs of the fit").replace("without ratings", "without pairs"))
    for name, (kind, shape, text) in ATTRIBUTES["MatrixFactorization"].items()
    if "bias" not in name and "rmse" not in name and name not in ("mean_", "range_", "unit_", "model_hash_")}
ATTRIBUTES["ImplicitFactorization"] = {**_CHOICES, "model_hash_": ("str", "", "Hash of the factors.")}
ATTRIBUTES["Slim"] = {
    "item_weights_": ("scipy.sparse.csr_matrix", "(n_items, n_items)", "Row i is what item i says for others, column j what speaks for "
                                                                       "item j; none below 0."),
    "coef_": ("scipy.sparse.csc_matrix", "(n_items, n_items)", "Its transpose, in the same memory: row j are the coefficients of item "
                                                               "j, as of several responses."),
    "objectives_": (_F64, "(n_items,)", "What each item's weights minimise; 0 of columns without entries, nan where a limit left one "
                                        "unsolved."),
    "dual_gaps_": (_F64, "(n_items,)", "Each objective is at most so far above its optimum: recomputed from the pairs."),
    "relative_gaps_": (_F64, "(n_items,)", "Gap over objective of each item, which tol bounds."),
    "item_ids_": ("NDArray[Any]", "(n_items,)", "Of each column its item: of a matrix the number of the column, of a file the id."),
    "n_features_in_": ("int", "", "Columns of X, the items."),
    "n_iter_": ("int", "", "Rounds."),
    "model_hash_": ("str", "", "Hash of the weights, as the program shows it."),
    **{name: _OUTCOME[name] for name in ("converged_", "stop_reason_", "notes_", "config_")},
}
_SPLIT = {
    "best_index_": ("NDArray[np.int64]", "(n_responses,)", "Of several paths, each with a split: the place of the best in "
                                                           "estimators_, for each response."),
    "val_scores_": (_F64, "(n_alphas,)", "What measure_ says of those who validate."),
    "measure_": ("str", "", "What was measured."),
    "chosen_": ("int", "", "The place of the best of them."),
    "alpha_": ("float", "", "Its alpha."),
    "C_": ("float", "", "Its C."),
    "split_scores_": ("dict[str, Any]", "", "How good the chosen one is on 'val' and 'test', and best_estimator_ on test: "
                                            "'refit_test'."),
}


def _of_split(penalty):
    """Attributes of a path over this parameter that a split adds."""
    return {name: (kind, shape.replace("n_alphas", f"n_{penalty}s"), text) for name, (kind, shape, text) in _SPLIT.items()
            if name not in {"alpha_", "C_"} - {penalty + "_"}}


# Of a fit of several responses or, of a path, of several l1_ratio, and of a path with a split.
MORE_ATTRIBUTES = {
    name: {
        "estimators_": (f"list[{name}]", "", "Of several responses" + (" or l1_ratio" if name.endswith("Path") else "") +
                        " a fit for each; other attributes are then those of all, a row for each."),
        "response_": ("str", "", "Of each of these: the name of its response."),
        **(_of_split("C" if name.startswith("Logistic") else "alpha") if name.endswith("Path") else {}),
        **({"best_estimator_": (best, "", "The fit at that penalty of those who train and validate.")} if best else {}),
    }
    for name, best in (("Lasso", ""), ("ElasticNet", ""), ("LassoPath", "ElasticNet"), ("LassoCV", ""), ("ElasticNetCV", ""),
                       ("PoissonLasso", ""), ("PoissonLassoPath", "PoissonLasso"), ("PoissonLassoCV", ""),
                       ("LogisticRegression", ""), ("LogisticRegressionPath", "LogisticRegression"), ("LogisticRegressionCV", ""))
}
_DATA = """>>> import numpy as np, strads
>>> random = np.random.default_rng(0)
>>> X = np.asfortranarray(random.normal(size=(100, 20)))
>>> y = X[:, 0] - 2 * X[:, 1] + 0.1 * random.normal(size=100)
"""
EXAMPLES = {
    "Lasso": _DATA + """>>> model = strads.Lasso(alpha=0.1).fit(X, y)
>>> np.flatnonzero(model.coef_).tolist()
[0, 1]
>>> model.relative_gap_ <= 1e-6, model.predict(X[:3]).shape
(True, (3,))""",
    "ElasticNet": _DATA + """>>> model = strads.ElasticNet(alpha=0.1, l1_ratio=0.7).fit(X, y)
>>> model.converged_, bool(model.score(X, y) > 0.9)
(True, True)""",
    "LassoPath": _DATA + """>>> path = strads.LassoPath(n_alphas=10).fit(X, y)
>>> path.coef_path_.shape == (20, len(path.alphas_)), path.predict(X).shape == (100, len(path.alphas_))
(True, True)""",
    "LassoCV": _DATA + """>>> model = strads.LassoCV(n_alphas=20, cv=5, choice="1se").fit(X, y)
>>> model.alpha_1se_ >= model.alpha_, model.scores_.shape
(True, (20, 5))""",
    "ElasticNetCV": _DATA + """>>> model = strads.ElasticNetCV(l1_ratio=[0.5, 1.0], n_alphas=10, cv=3).fit(X, y)
>>> model.l1_ratio_, model.alphas_.shape
(1.0, (2, 10))""",
    "LogisticRegression": _DATA + """>>> model = strads.LogisticRegression(C=1.0).fit(X, np.where(y > 0, "yes", "no"))
>>> model.classes_.tolist(), model.predict_proba(X).shape
(['no', 'yes'], (100, 2))""",
    "LogisticRegressionCV": _DATA + """>>> model = strads.LogisticRegressionCV(Cs=[0.1, 1.0], cv=3, scoring="roc_auc").fit(X, y > 0)
>>> model.C_.shape, model.scores_.shape
((1,), (2, 3))""",
    "LogisticRegressionPath": _DATA + """>>> path = strads.LogisticRegressionPath(Cs=10).fit(X, np.where(y > 0, "yes", "no"))
>>> path.predict(X).shape == (100, len(path.Cs_)), path.predict_proba(X).shape == (100, 2, len(path.Cs_))
(True, True)""",
    "PoissonLasso": _DATA + """>>> visits, years = random.poisson(np.exp(0.5 * X[:, 0])), np.ones(100)
>>> model = strads.PoissonLasso(alpha=0.1).fit(X, visits, offset=np.log(years))
>>> model.predict(X[:3], offset=np.log(years[:3])).shape, bool(model.score(X, visits, offset=np.log(years)) > 0)
((3,), True)""",
    "PoissonLassoPath": _DATA + """>>> path = strads.PoissonLassoPath(n_alphas=10).fit(X, random.poisson(np.exp(0.5 * X[:, 0])))
>>> path.coef_path_.shape == (20, len(path.alphas_)), bool((path.predict(X) > 0).all())
(True, True)""",
    "PoissonLassoCV": _DATA + """>>> model = strads.PoissonLassoCV(n_alphas=20, cv=5, choice="1se").fit(X, random.poisson(np.exp(0.5 * X[:, 0])))
>>> model.measure_, model.alpha_1se_ >= model.alpha_, model.scores_.shape
('deviance', True, (20, 5))""",
    "LatentDirichletAllocation": """>>> import numpy as np, strads
>>> random = np.random.default_rng(0)
>>> X = np.vstack([random.poisson([3, 3, 0, 0], (20, 4)), random.poisson([0, 0, 3, 3], (20, 4))])
>>> model = strads.LatentDirichletAllocation(2, doc_topic_prior=0.1, random_state=1).fit(X)
>>> shares = model.transform(X)
>>> shares.shape, bool((shares.argmax(axis=1)[:20] == shares[0].argmax()).all())
((40, 2), True)""",
    "LinearSVC": _DATA + """>>> model = strads.LinearSVC(C=1.0).fit(X, np.where(y > 0, "yes", "no"))
>>> model.classes_.tolist(), model.decision_function(X).shape, model.relative_gap_ <= 1e-6
(['no', 'yes'], (100,), True)""",
    "ImplicitFactorization": """>>> import numpy as np, strads
>>> users, items = np.divmod(np.random.default_rng(0).choice(600, size=150, replace=False), 20)
>>> model = strads.ImplicitFactorization(4, max_iter=10, tol=0).fit((users, items))
>>> best, scores = model.recommend(user=3, n=5, exclude=items[users == 3])
>>> len(best), bool((np.diff(scores) <= 0).all()), model.n_iter_
(5, True, 10)""",
    "Slim": """>>> import numpy as np, scipy.sparse, strads
>>> X = scipy.sparse.random(60, 20, density=0.3, format="csr", random_state=0)
>>> model = strads.Slim(l1=0.5, l2=5).fit(X)
>>> model.item_weights_.shape, bool((model.relative_gaps_ <= 1e-6).all())
((20, 20), True)
>>> ids, scores = model.recommend([3, 4], X[[3, 4]], N=5)
>>> ids.shape, model.evaluate(X, scipy.sparse.csr_matrix(1 - X.toarray() > 0.5).astype(float), K=[5, 10]).shape[0]
((2, 5), 4)""",
    "SummaryLasso": """>>> import numpy as np, strads
>>> random = np.random.default_rng(0)
>>> panel = random.binomial(2, 0.3, size=(100, 40)).astype(float)
>>> r = np.where(np.arange(40) < 4, 0.3, 0.01)
>>> model = strads.SummaryLasso(shrinks=[0.5, 1]).fit(panel, r=r, n=1000, blocks=np.arange(40) // 10)
>>> model.gaps_.shape, model.converged_, np.flatnonzero(model.coef(1, 0.2)).tolist()
((2, 20), True, [0, 1, 2, 3])
>>> model.chosen_by_, model.predict(panel).shape
('pseudo-validation', (100,))""",
    "MatrixFactorization": """>>> import numpy as np, strads
>>> random = np.random.default_rng(0)
>>> users, items = np.divmod(random.choice(600, size=300, replace=False), 20)
>>> ratings = random.integers(1, 6, size=300).astype(float)
>>> model = strads.MatrixFactorization(2, early_stopping=False).fit((users, items, ratings))
>>> model.predict((users[:4], items[:4])).shape, len(model.recommend(user=3, n=5)[0])
((4,), 5)
>>> films = ["Heat", "Casino", "Sabrina", "Jumanji"] * 3
>>> table = {"user": list("aaabbbcccddd"), "film": films, "rating": [5, 4, 1, 2, 5, 1, 2, 2, 5, 4, 1, 2]}
>>> model = strads.MatrixFactorization(1, early_stopping=False).fit((table["user"], films, table["rating"]))
>>> model.user_ids_.tolist(), model.predict([("a", "Heat"), ("b", "Casino"), ("c", "Heat")]).shape
(['a', 'b', 'c', 'd'], (3,))""",
}


def _wrapped(text, indent="        ", width=100):
    lines, line = [], indent
    for word in text.split():
        if len(line) + len(word) > width and line.strip():
            lines.append(line.rstrip())
            line = indent
        line += word + " "
    return "\n".join(lines + [line.rstrip()])


def _section(title, rows):
    lines = ["", f"    {title}", "    " + "-" * len(title)]
    for name, kind, text in rows:
        lines += [f"    {name} : {kind}", _wrapped(text)]
    return lines


def _plain(kind):
    """A type of the stubs for people."""
    for long, short in (("NDArray[np.floating[Any]]", "ndarray of float"), ("NDArray[np.", "ndarray of "),
                        ("NDArray[Any]", "ndarray"), ("scipy.sparse.csc_matrix", "sparse matrix (CSC)"), ("bool_", "bool")):
        kind = kind.replace(long, short)
    return kind.rstrip("]") if kind.startswith("ndarray") else kind


def parameter_of(cls, name):
    """(type, text)."""
    family = cls.__name__.removesuffix("CV").removesuffix("Path")
    kind = "Path" if cls.__name__.endswith("Path") else cls.__name__
    keys = (f"{cls.__name__}.{name}", f"{kind}.{name}", f"{family}.{name}", name)
    return next(PARAMETERS[key] for key in keys if key in PARAMETERS)


def document(*classes):
    """Adds parameters, attributes and an example to the docstrings of estimators."""
    for cls in classes:
        parameters = []
        for name, one in list(signature(cls.__init__).parameters.items())[1:]:
            kind, text = parameter_of(cls, name)
            parameters.append((name, f"{kind}, default={one.default!r}", text))
        attributes, more = ([(name, _plain(kind) + (f" of shape {shape}" if shape else ""), text)
                             for name, (kind, shape, text) in table.get(cls.__name__, {}).items()]
                            for table in (ATTRIBUTES, MORE_ATTRIBUTES))
        example = ["", "    Examples", "    --------"] + ["    " + line for line in EXAMPLES[cls.__name__].splitlines()]
        cls.__doc__ = "\n".join([cls.__doc__.rstrip(), *_section("Parameters", parameters),
                                 *_section("Attributes", attributes),
                                 *(_section("Attributes of several fits and of a split", more) if more else []), *example]) + "\n"
