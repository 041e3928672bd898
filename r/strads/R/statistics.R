# What R asks of a model: deviance, number of observations, log-likelihood, fitted values.

# Which solutions are meant. Between two of them there is no deviance that a line would give.
steps_at <- function(object, s) {
  if (is.null(s)) return(seq_along(object$lambda))
  check_s(s)
  at <- match(s, object$lambda)
  if (anyNA(at)) {
    refuse("s: found ", format(s[is.na(at)][1]), ", expected lambdas that were solved: $lambda lists them")
  }
  at
}

deviance.strads <- function(object, s = NULL, ...) {
  no_more("deviance", list(...), "s")
  unname((1 - object$dev.ratio) * object$nulldev)[steps_at(object, s)]
}

# glmnet's answer: a word.
family.strads <- function(object, ...) object$family

family.strads_cv <- function(object, ...) object$glmnet.fit$family

nobs.strads <- function(object, ...) as.integer(object$nobs)

# Of numbers with the variance at its maximum, as of lm(); degrees of freedom are the coefficients that are not zero,
# those without a penalty, the intercept and, of numbers, the variance.
logLik.strads <- function(object, s = NULL, ...) {
  at <- steps_at(object, s)
  saturated <- if (object$family == "poisson") object$log.saturated else 0
  if (is.na(saturated) || (object$family == "gaussian" && is.na(object$log.weights))) {
    refuse("object: ", if (object$settings$from_split_file) "the split" else "y", " was read from a file, and the log-likelihood ",
           "needs it; fit with ", if (object$settings$from_split_file) "y and split" else "y")
  }
  deviance <- deviance(object, s, ...)
  numbers <- object$family == "gaussian"
  n <- object$nobs
  value <- if (numbers) 0.5 * (object$log.weights - n * (log(2 * pi) + 1 - log(n) + log(deviance))) else saturated - deviance / 2
  df <- object$df[at] + nrow(object$covariates) + object$settings$intercept + numbers
  structure(value, df = df, nobs = as.integer(n), class = "logLik")
}

# x and what goes beside it are looked up where the call of the fit says, from where fitted() is called. Since they may
# have become others, the deviance of what is fitted has to be that of the fit.
fitted.strads <- function(object, s = NULL, type = c("response", "link"), ...) {
  type <- one_of(type, c("response", "link"), "type")
  no_more("fitted", list(...), "s, type")
  fitted_in(object, object$call, s, type, parent.frame())
}

fitted.strads_cv <- function(object, s = c("lambda.1se", "lambda.min"), type = c("response", "link"), ...) {
  type <- one_of(type, c("response", "link"), "type")
  no_more("fitted", list(...), "s, type")
  fitted_in(object$glmnet.fit, object$call, lambda_of_cv(object, s), type, parent.frame())
}

fitted_in <- function(object, call, s, type, frame) {
  of <- function(name) {
    if (is.null(call[[name]])) return(NULL)
    tryCatch(eval(call[[name]], frame), error = function(e) {
      refuse("fitted: ", name, " of the fit, ", paste(deparse(call[[name]]), collapse = " "), ", is not there (",
             conditionMessage(e), "); use predict() with newx")
    })
  }
  if (object$settings$from_split_file) {
    refuse("fitted: the split was read from a file, and nobody here knows who trains; use predict() with newx")
  }
  x <- of("x")
  if (is.character(x) && is.null(dim(x))) {
    options <- object$settings$options
    known <- gsub("[._]", "-", names(options)) %in% strads_options("predict")$name
    link <- predict(object, x, s = s, newoffset = of("offset"), newcovariates = of("covariates"), options = options[known])
  } else {
    # A row whose offset or covariates are not known took no part, and has no fitted value.
    offset <- of("offset")
    covariates <- of("covariates")
    unknown <- FALSE
    if (!is.null(offset)) {
      unknown <- is.na(offset)
      offset[is.na(offset)] <- 0
    }
    if (!is.null(covariates)) {
      unknown <- unknown | !stats::complete.cases(covariates)
      covariates[is.na(covariates)] <- 0
    }
    link <- predict(object, x, s = s, newoffset = offset, newcovariates = covariates)
    link[unknown, ] <- NA
  }
  check_fitted(object, link, s, of("y"), of("weights"), of("split"))
  if (type == "link") link else families[[object$family]]$mean(link)
}

check_fitted <- function(object, link, s, y, weights, split) {
  if (is.null(y)) return(invisible())
  steps <- if (is.null(s)) seq_along(object$lambda) else match(s, object$lambda)
  y <- one_response(y)
  y <- if (is.matrix(y)) y[, 1] else y
  parts <- object$settings$parts
  # All rows are fitted; the fit is of those that train, or that train and validate.
  if (!is.null(parts) && length(split) == length(y)) y[!as.character(split) %in% parts] <- NA
  same <- length(y) == nrow(link) && (is.null(weights) || length(weights) == length(y))
  if (same && object$family == "binomial") {
    classes <- sort(unique(y[!is.na(y)]))
    y <- as.integer(y == classes[length(classes)])
  }
  if (same && is.numeric(y)) {
    used <- !is.na(y) & !is.na(link[, 1])
    if (!is.null(weights)) used <- used & !is.na(weights) & weights > 0
    w <- if (is.null(weights)) 1 else weights[used]
    found <- vapply(which(!is.na(steps)), function(k) {
      sum(w * families[[object$family]]$deviance(y[used], link[used, k]))
    }, 0)
    wanted <- deviance(object)[steps[!is.na(steps)]]
    same <- all(abs(found - wanted) <= 1e-6 * object$nulldev)
  }
  if (!isTRUE(same)) {
    refuse("fitted: what the call of the fit names, x and y and what goes beside them, are not the data of the fit any more ",
           "(their deviance is another one); use predict() with newx")
  }
}

at_cv <- function(of) {
  function(object, s = c("lambda.1se", "lambda.min"), ...) of(object$glmnet.fit, s = lambda_of_cv(object, s), ...)
}

deviance.strads_cv <- at_cv(deviance.strads)
logLik.strads_cv <- at_cv(logLik.strads)
nobs.strads_cv <- function(object, ...) nobs.strads(object$glmnet.fit)
