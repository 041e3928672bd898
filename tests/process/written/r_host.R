# Fits the problems of written_models.py with the R package, and those that say so with glmnet: Rscript r_host.R DIR ...
# Each DIR has problem.R (a list) and numbers as doubles in binary files; what comes out is text that reads back exactly.
suppressMessages({
  library(Matrix)
  library(strads)
})

numbers <- function(folder, name) {
  path <- file.path(folder, paste0(name, ".bin"))
  if (!file.exists(path)) return(NULL)
  readBin(path, "double", file.size(path) / 8)
}

say <- function(folder, name, values) writeLines(sprintf("%.17g", as.double(values)), file.path(folder, name))

say_coefficients <- function(folder, name, beta) {
  beta <- as(beta, "CsparseMatrix")
  steps <- rep(seq_len(ncol(beta)), diff(beta@p))
  writeLines(sprintf("%d\t%d\t%.17g", steps, beta@i + 1L, beta@x), file.path(folder, name))
}

# Its solution, or NULL: it refuses columns that all are constant, where ours are zeros; beside some offsets it does not end
# at such a threshold, and R cannot interrupt it: hence a process of its own.
glmnet_within <- function(seconds, arguments) {
  job <- parallel::mcparallel(tryCatch(do.call(glmnet::glmnet, arguments), error = function(e) NULL))
  found <- parallel::mccollect(job, wait = FALSE, timeout = seconds)
  if (is.null(found)) {
    tools::pskill(job$pid, tools::SIGKILL)
    suppressWarnings(parallel::mccollect(job))
  }
  found[[1]]
}

one <- function(folder) {
  p <- dget(file.path(folder, "problem.R"))
  x <- matrix(numbers(folder, "x"), nrow = p$n)
  dense <- x
  if (p$sparse) x <- as(x, "CsparseMatrix")
  y <- numbers(folder, "y")
  covariates <- numbers(folder, "covariates")
  if (!is.null(covariates)) covariates <- matrix(covariates, nrow = p$n, dimnames = list(NULL, p$names))
  limits <- if (p$nonnegative) 0 else -Inf
  common <- list(x, y, family = p$family, alpha = p$alpha, standardize = p$standardize, intercept = p$intercept,
                 weights = numbers(folder, "weights"), offset = numbers(folder, "offset"), covariates = covariates,
                 penalty.factor = numbers(folder, "factors"), lower.limits = limits, thresh = p$thresh,
                 options = list(threads = 1, max_seconds = p$max_seconds))
  fit <- switch(p$kind,
    fit = do.call(strads_lasso, c(common, list(lambda_ratio = p$lambda_ratio))),
    path = do.call(strads_path, c(common, list(nlambda = p$nlambda, lambda.min.ratio = p$min_ratio))),
    cv = do.call(strads_cv, c(common, list(nlambda = p$nlambda, lambda.min.ratio = p$min_ratio,
                                           foldid = numbers(folder, "foldid"))))$glmnet.fit)
  say(folder, "a0", fit$a0)
  say_coefficients(folder, "beta", fit$beta)
  say(folder, "covariate_coefficients", fit$covariates)
  say(folder, "lambda", fit$lambda)
  say(folder, "lambda_unit", fit$lambda.unit)
  for (name in c("dev.ratio", "objective", "gap", "relative.gap", "converged")) say(folder, name, fit[[name]])
  writeLines(fit$stop.reason, file.path(folder, "stop_reason"))
  if (p$kind != "cv") {
    say(folder, "link", as.matrix(predict(fit, x, s = fit$lambda, type = "link", newoffset = numbers(folder, "offset"),
                                          newcovariates = covariates)))
  }
  if (p$glmnet) {
    # Covariates are columns with factor 0, which count in the mean that glmnet makes 1.
    share <- ncol(dense) / (ncol(dense) + NCOL(covariates) * !is.null(covariates))
    theirs <- list(cbind(dense, covariates), y, family = p$family, alpha = p$alpha, lambda = fit$lambda * share,
                   standardize = p$standardize, intercept = p$intercept, weights = numbers(folder, "weights"), offset = numbers(folder, "offset"),
                   lower.limits = limits, thresh = 1e-14, maxit = 3e5)
    factors <- numbers(folder, "factors")
    if (is.null(factors)) factors <- rep(1, ncol(dense))
    theirs$penalty.factor <- c(factors, rep(0, ncol(theirs[[1]]) - ncol(dense)))
    theirs <- glmnet_within(10, theirs[!vapply(theirs, is.null, NA)])
    if (is.null(theirs)) return(invisible())
    say(folder, "glmnet_a0", theirs$a0)
    say_coefficients(folder, "glmnet_beta", theirs$beta)
    say(folder, "glmnet_lambda", theirs$lambda)
    say(folder, "glmnet_jerr", theirs$jerr)
  }
}

for (folder in readLines(commandArgs(trailingOnly = TRUE)[1])) {
  notes <- character()
  tryCatch(withCallingHandlers(one(folder), message = function(m) invokeRestart("muffleMessage"), warning = function(w) {
    notes <<- c(notes, conditionMessage(w))
    invokeRestart("muffleWarning")
  }), error = function(e) writeLines(paste(class(e)[1], conditionMessage(e)), file.path(folder, "error")))
  writeLines(notes, file.path(folder, "warnings"))
}
