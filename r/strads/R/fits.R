# strads_lasso, strads_path, strads_cv: one for each command.

strads_lasso <- function(x, y = NULL, lambda = NULL, lambda_ratio = NULL, family = c("gaussian", "binomial"),
                         alpha = 1, standardize = TRUE, intercept = TRUE, weights = NULL, offset = NULL,
                         covariates = NULL, penalty.factor = NULL, lower.limits = -Inf, thresh = NULL, callback = NULL,
                         options = list()) {
  call <- match.call()
  family <- match.arg(family)
  rows <- rows_of(y, weights, offset, covariates, family)
  penalty <- glmnet_penalty(lambda, alpha, standardize, family, x, rows, intercept)
  own <- c(problem_options(family, penalty$alpha, standardize, intercept, lower.limits, thresh),
           list(lambda = penalty$lambda, `lambda-ratio` = lambda_ratio, `lambda-scale` = penalty$scale))
  result <- run_command("fit", call, x, rows, penalty.factor, option_list(own, options), callback = callback)
  finish(new_strads(result, "strads_lasso", call, alpha, penalty, standardize), result)
}

# Options of a path. Of a grid the scale says how the folds of columns that are not scaled are penalised: as these.
path_options <- function(problem, penalty, nlambda, lambda.min.ratio, standardize) {
  grid <- is.null(penalty$lambda)
  scale <- if (grid && !standardize && is.null(problem$family)) "sample" else penalty$scale
  c(problem, list(lambdas = if (grid) nlambda, `lambda-min-ratio` = if (grid) lambda.min.ratio, `lambda-scale` = scale))
}

strads_path <- function(x, y = NULL, lambda = NULL, nlambda = 100, lambda.min.ratio = NULL,
                        family = c("gaussian", "binomial"), alpha = 1, standardize = TRUE, intercept = TRUE,
                        weights = NULL, offset = NULL, covariates = NULL, penalty.factor = NULL, lower.limits = -Inf,
                        thresh = NULL, callback = NULL, options = list()) {
  call <- match.call()
  family <- match.arg(family)
  rows <- rows_of(y, weights, offset, covariates, family)
  penalty <- glmnet_penalty(lambda, alpha, standardize, family, x, rows, intercept)
  problem <- problem_options(family, penalty$alpha, standardize, intercept, lower.limits, thresh)
  own <- path_options(problem, penalty, nlambda, lambda.min.ratio, standardize)
  result <- run_command("path", call, x, rows, penalty.factor, option_list(own, options), penalty$lambda, callback)
  finish(new_strads(result, "strads_path", call, alpha, penalty, standardize), result)
}

strads_cv <- function(x, y = NULL, lambda = NULL, nlambda = 100, lambda.min.ratio = NULL, nfolds = 10, foldid = NULL,
                      type.measure = c("default", "mse", "deviance", "class", "auc", "mae"),
                      family = c("gaussian", "binomial"), alpha = 1, standardize = TRUE, intercept = TRUE,
                      weights = NULL, offset = NULL, covariates = NULL, penalty.factor = NULL, lower.limits = -Inf,
                      thresh = NULL, callback = NULL, options = list()) {
  call <- match.call()
  family <- match.arg(family)
  measure <- match.arg(type.measure)
  rows <- rows_of(y, weights, offset, covariates, family)
  penalty <- glmnet_penalty(lambda, alpha, standardize, family, x, rows, intercept)
  problem <- problem_options(family, penalty$alpha, standardize, intercept, lower.limits, thresh)
  own <- c(path_options(problem, penalty, nlambda, lambda.min.ratio, standardize),
           list(folds = if (is.null(foldid)) nfolds, measure = if (measure != "default") measure))
  rows$folds <- folds_of(foldid)
  result <- run_command("cv", call, x, rows, penalty.factor, option_list(own, options), penalty$lambda, callback)
  finish(new_cv(result, call, alpha, penalty, standardize), result)
}

# Folds from 0, in the order of their numbers.
folds_of <- function(foldid) {
  if (is.null(foldid)) return(NULL)
  if (anyNA(foldid)) stop("foldid: found NA, expected a fold for each row", call. = FALSE)
  match(foldid, sort(unique(foldid))) - 1L
}

# The parts that cv.glmnet's results have.
new_cv <- function(result, call, alpha, penalty, standardize) {
  fit <- new_strads(result, "strads_path", call, alpha, penalty, standardize)
  whole <- length(result$mean)
  at <- seq_len(whole)
  least <- if (whole > 0) result$least else NA_integer_
  simplest <- if (whole > 0) result$simplest else NA_integer_
  errors <- if (whole > 0) t(vapply(result$fold_errors, function(one) as.double(one)[at], double(whole)))
  if (whole == 1) errors <- t(errors)
  structure(class = "strads_cv", list(
    call = call, lambda = fit$lambda[at], cvm = result$mean, cvsd = result$standard_error,
    cvup = result$mean + result$standard_error, cvlo = result$mean - result$standard_error, nzero = fit$df[at],
    name = result$measure, glmnet.fit = fit, lambda.min = fit$lambda[least], lambda.1se = fit$lambda[simplest],
    index = c(min = least, `1se` = simplest), foldid = result$fold_of_row, fold.errors = errors))
}
