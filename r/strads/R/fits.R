# strads_lasso, strads_path, strads_cv: one for each command.

# What a fit was asked for besides its data: enough to fit again at other lambdas.
settings_of <- function(family, alpha, standardize, intercept, lower.limits, thresh, callback, options) {
  if (!is.null(callback) && !is.function(callback)) expected("callback", callback, "a function")
  list(family = family_of(family), alpha = alpha_of(alpha), standardize = flag(standardize, "standardize"),
       intercept = flag(intercept, "intercept"), lower.limits = if (is_nonnegative(lower.limits)) 0 else -Inf,
       thresh = thresh_of(thresh), options = options)
}

strads_lasso <- function(x, y = NULL, lambda = NULL, lambda_ratio = NULL,
                         family = c("gaussian", "binomial", "poisson"), alpha = 1, standardize = TRUE, intercept = TRUE,
                         weights = NULL, offset = NULL, covariates = NULL, penalty.factor = NULL, lower.limits = -Inf,
                         thresh = NULL, callback = NULL, options = list(), start = NULL) {
  call <- match.call()
  several <- each_of(strads_lasso, mget(names(formals(strads_lasso)), environment()), call)
  if (!is.null(several)) return(several)
  y <- one_response(y)
  settings <- settings_of(family, alpha, standardize, intercept, lower.limits, thresh, callback, options)
  lambda <- lambda_of(lambda, one = TRUE)
  lambda_ratio <- number_or_null(lambda_ratio, "lambda_ratio", function(v) v > 0 && v < Inf, "a number above 0")
  if (!is.null(lambda) && !is.null(lambda_ratio)) refuse("lambda, lambda_ratio: found both, expected one of them")
  rows <- rows_of(x, y, weights, offset, covariates, settings$family)
  rows$start <- start_of(start, settings$family)
  penalty <- glmnet_penalty(lambda, settings, x, rows)
  own <- c(problem_options(settings, penalty$alpha),
           list(lambda = penalty$lambda, `lambda-ratio` = lambda_ratio, `lambda-scale` = penalty$scale))
  result <- run_command("fit", call, x, rows, penalty.factor, option_list(own, options), callback = callback)
  finish(new_strads(result, "strads_lasso", call, penalty, settings, lambda), result)
}

# Options of a path. Of a grid the scale says how the folds of columns that are not scaled are penalised: as these.
path_options <- function(settings, penalty, x, nlambda, lambda.min.ratio) {
  grid <- is.null(penalty$lambda)
  scale <- if (grid && !settings$standardize && settings$family == "gaussian") "sample" else penalty$scale
  nlambda <- whole_of(nlambda, "nlambda", 1)
  ratio <- ratio_of_grid(lambda.min.ratio, x)
  c(problem_options(settings, penalty$alpha),
    list(lambdas = if (grid) nlambda, `lambda-min-ratio` = if (grid) ratio, `lambda-scale` = scale))
}

strads_path <- function(x, y = NULL, lambda = NULL, nlambda = 100, lambda.min.ratio = NULL,
                        family = c("gaussian", "binomial", "poisson"), alpha = 1, standardize = TRUE, intercept = TRUE,
                        weights = NULL, offset = NULL, covariates = NULL, penalty.factor = NULL, lower.limits = -Inf,
                        thresh = NULL, callback = NULL, options = list(), start = NULL, split = NULL) {
  call <- match.call()
  several <- each_of(strads_path, mget(names(formals(strads_path)), environment()), call)
  if (!is.null(several)) return(several)
  y <- one_response(y)
  settings <- settings_of(family, alpha, standardize, intercept, lower.limits, thresh, callback, options)
  rows <- rows_of(x, y, weights, offset, covariates, settings$family)
  rows$split <- split_codes(split, if (is.null(dim(x))) NA else nrow(x))
  lambda <- lambda_of(lambda)
  penalty <- glmnet_penalty(lambda, settings, x, rows)
  own <- path_options(settings, penalty, x, nlambda, lambda.min.ratio)
  rows$start <- start_of(start, settings$family)
  result <- run_command("path", call, x, rows, penalty.factor, option_list(own, options), penalty$lambda, callback)
  if (!is.null(split)) settings$parts <- "train"
  fit <- new_strads(result, "strads_path", call, penalty, settings, lambda)
  finish(with_split(fit, result, call, penalty, settings, lambda), result)
}

strads_cv <- function(x, y = NULL, lambda = NULL, nlambda = 100, lambda.min.ratio = NULL, nfolds = 10, foldid = NULL,
                      type.measure = c("default", "mse", "deviance", "class", "auc", "mae"),
                      family = c("gaussian", "binomial", "poisson"), alpha = 1, standardize = TRUE, intercept = TRUE,
                      weights = NULL, offset = NULL, covariates = NULL, penalty.factor = NULL, lower.limits = -Inf,
                      thresh = NULL, callback = NULL, options = list(), keep = FALSE, start = NULL) {
  call <- match.call()
  several <- each_of(strads_cv, mget(names(formals(strads_cv)), environment()), call)
  if (!is.null(several)) return(several)
  y <- one_response(y)
  settings <- settings_of(family, alpha, standardize, intercept, lower.limits, thresh, callback, options)
  keep <- flag(keep, "keep")
  measure <- one_of(type.measure, c("default", "mse", "deviance", "class", "auc", "mae"), "type.measure")
  if (settings$family != "binomial" && measure %in% c("class", "auc")) {
    expected("type.measure", measure, "\"mse\", \"mae\" or \"deviance\"; of classes it needs family = \"binomial\"")
  }
  # glmnet's name for the squared error.
  if (settings$family == "gaussian" && measure == "deviance") measure <- "mse"
  if (is.null(foldid)) nfolds <- whole_of(nfolds, "nfolds", 2)
  rows <- rows_of(x, y, weights, offset, covariates, settings$family)
  lambda <- lambda_of(lambda)
  penalty <- glmnet_penalty(lambda, settings, x, rows)
  own <- c(path_options(settings, penalty, x, nlambda, lambda.min.ratio),
           list(folds = if (is.null(foldid)) nfolds, measure = if (measure != "default") measure))
  rows$start <- start_of(start, settings$family)
  rows$folds <- folds_of(foldid, if (is.null(dim(x))) NA else nrow(x))
  if (keep) {
    check_can_keep(x, settings)
    rows$keep <- TRUE
  }
  result <- run_command("cv", call, x, rows, penalty.factor, option_list(own, options), penalty$lambda, callback)
  cv <- new_cv(result, call, penalty, settings, lambda)
  if (keep) cv$fit.preval <- held_out(result, cv, x, offset, rows$covariates)
  finish(at_an_end(cv, !is.null(lambda)), result)
}

check_can_keep <- function(x, settings) {
  if (is.character(x) && is.null(dim(x))) {
    refuse("keep: needs x in memory, found the path of a file; `lasso cv --out DIR` writes predictions.tsv and fold_K.bin")
  }
  if (identical(settings$options$missing, "mean") && anyNA(x)) {
    refuse("keep: x has missing values, whose means differ by fold; fill them in, or leave keep = FALSE")
  }
}

# cv.glmnet's fit.preval: the link of each row by the path without its fold, a column for each lambda; NA where a row takes
# no part.
held_out <- function(result, cv, x, offset, covariates) {
  steps <- length(cv$lambda)
  whole <- cv$glmnet.fit
  out <- matrix(NA_real_, nrow(x), steps, dimnames = list(rownames(x), paste0("s", seq_len(steps) - 1)[seq_len(steps)]))
  if (steps > 0) {
    if (!is(x, "Matrix")) storage.mode(x) <- "double"
    for (fold in seq_along(result$folds)) {
      path <- result$folds[[fold]]
      held <- which(cv$foldid == fold)
      beta <- dgCMatrix_of(path$beta, c(result$columns, length(path$intercept)), list(NULL, NULL))
      link <- as.matrix(x[held, , drop = FALSE] %*% beta)[, seq_len(steps), drop = FALSE]
      link <- sweep(link, 2, path$intercept[seq_len(steps)], "+")
      if (!is.null(covariates)) {
        own <- matrix(path$covariates, nrow = length(covariates))[, seq_len(steps), drop = FALSE]
        link <- link + do.call(cbind, covariates)[held, , drop = FALSE] %*% own
      }
      out[held, ] <- if (is.null(offset)) link else link + as.double(offset)[held]
    }
  }
  if (whole$family == "binomial") attr(out, "classnames") <- whole$classnames
  out
}

# Says where the least error is at the largest of the lambdas that were given: a larger one may have less. The command says
# it of the smallest; a grid begins where no variable is in.
at_an_end <- function(cv, given) {
  if (!given || length(cv$lambda) < 2 || cv$index["min", ] != 1) return(cv)
  note <- paste0("lambda.min is the largest lambda that was given, ", signif(cv$lambda.min, 4),
                 ", and a larger one may be better: give larger ones, too")
  message("strads: ", note)
  cv$glmnet.fit$notes <- c(cv$glmnet.fit$notes, note)
  cv
}

# The parts that cv.glmnet's results have.
new_cv <- function(result, call, penalty, settings, given) {
  fit <- new_strads(result, "strads_path", call, penalty, settings, given)
  whole <- length(result$mean)
  at <- seq_len(whole)
  least <- if (whole > 0) as.integer(result$least) else NA_integer_
  simplest <- if (whole > 0) as.integer(result$simplest) else NA_integer_
  errors <- if (whole > 0) t(vapply(result$fold_errors, function(one) as.double(one)[at], double(whole)))
  if (whole == 1) errors <- t(errors)
  structure(class = c("strads_cv", like_glmnet), list(
    call = call, lambda = fit$lambda[at], cvm = result$mean, cvsd = result$standard_error,
    cvup = result$mean + result$standard_error, cvlo = result$mean - result$standard_error, nzero = fit$df[at],
    name = measure_title(result$measure, settings$family), glmnet.fit = fit, lambda.min = fit$lambda[least],
    lambda.1se = fit$lambda[simplest],
    index = matrix(c(least, simplest), 2, 1, dimnames = list(c("min", "1se"), "Lambda")),
    foldid = result$fold_of_row, fold.errors = errors))
}

# As cv.glmnet names them.
measure_title <- function(measure, family) {
  titles <- c(mse = "Mean-Squared Error", mae = "Mean Absolute Error", class = "Misclassification Error", auc = "AUC",
              deviance = if (family == "poisson") "Poisson Deviance" else "Binomial Deviance")
  title <- titles[measure]
  if (is.na(title)) stats::setNames(measure, measure) else title
}
