# From settled arguments to a run of the compiled half, and from its result to an object.

# The options that all three commands have, from arguments named as glmnet's.
problem_options <- function(settings, alpha) {
  centre <- if (settings$intercept) NULL else FALSE
  numbers <- settings$family == "gaussian"
  list(family = if (numbers) NULL else settings$family,
       `l1-ratio` = if (alpha == 1) NULL else alpha,
       scale = if (settings$standardize) NULL else FALSE,
       `scale-y` = if (settings$standardize || !numbers) NULL else FALSE,
       center = centre,
       `center-y` = if (numbers) centre,
       intercept = if (!numbers) centre,
       nonnegative = if (settings$lower.limits == 0) TRUE,
       tolerance = settings$thresh)
}

# Rows that take part, as far as what lies in memory says.
rows_used <- function(rows, parts = 1L) {
  used <- if (is.null(rows$y)) TRUE else !is.na(rows$y)
  if (!is.null(rows$weights)) used <- used & !is.na(rows$weights) & rows$weights > 0
  for (column in c(rows$covariates, list(rows$offset))) if (!is.null(column)) used <- used & !is.na(column)
  if (is.null(rows$split)) used else used & rows$split %in% parts
}

# What statistics need to know of the rows in `parts`. Only the ratios of weights matter to the fit; glmnet's deviance has them
# as they are.
figures_of_rows <- function(rows, y, family, parts = 1L) {
  used <- rows_used(rows, parts)
  weights <- rows$weights[used]
  list(weight_mean = if (is.null(rows$weights)) 1 else mean(weights),  # which is 1 to the fit
       log_weights = if (is.null(rows$weights)) 0 else sum(log(weights)),
       log_saturated = if (family != "poisson") 0
                       else if (is.null(y)) NA_real_
                       else saturated_counts(y[used], if (is.null(rows$weights)) 1 else weights))
}

# glmnet's lambda and alpha as the command takes them: list(lambda, scale, alpha, weight), where weight is what lambda
# was multiplied by (NULL: the scale has glmnet's meaning by itself). glmnet's loss is a mean over the samples, of two
# classes and of counts the command's is the sum; of numbers glmnet divides y by its standard deviation before all else.
glmnet_penalty <- function(lambda, settings, x, rows) {
  alpha <- settings$alpha
  numbers <- settings$family == "gaussian"
  scale <- if (!numbers) "unit" else if (settings$standardize) "y" else "sample"
  if (numbers && (settings$standardize || alpha == 1) || (!numbers && is.null(lambda))) {
    return(list(lambda = lambda, scale = if (!is.null(lambda)) scale, alpha = alpha))
  }
  if (is.character(x) || is.null(rows$y)) {
    refuse("lambda, alpha: with files their meaning in glmnet is known for numbers and standardize = TRUE, and for two ",
           "classes or counts and no lambda; give those of the command line: options = list(lambda = ..., l1_ratio = ...)")
  }
  used <- rows_used(rows)
  samples <- sum(used)
  if (!numbers) {
    return(list(lambda = lambda * weight_of_sums(settings, samples), scale = scale, alpha = alpha))
  }
  weights <- rows$weights
  y <- rows$y
  if (!is.numeric(y)) return(list(lambda = lambda, scale = scale, alpha = alpha))  # refused with the data
  shares <- if (is.null(weights)) rep(1 / samples, samples) else weights[used] / sum(weights[used])
  mean <- if (settings$intercept) sum(shares * y[used]) else 0
  norm <- 1 / sqrt(sum(shares * (y[used] - mean)^2))
  # A constant y has zeros only, whatever the penalty.
  if (!is.finite(norm)) norm <- 1
  weight <- alpha + (1 - alpha) * norm
  list(lambda = if (!is.null(lambda)) lambda * weight, scale = if (!is.null(lambda)) scale, alpha = alpha / weight,
       weight = weight)
}

# The command's lambda of two classes, or of counts, for glmnet's 1.
weight_of_sums <- function(settings, samples) {
  if (!settings$standardize) samples else if (settings$alpha == 0) 1 else sqrt(samples)
}

# The other way round. Those that were given are what was given, to the last bit, so that `s` finds them.
glmnet_lambda <- function(result, penalty, settings, given) {
  own <- if (settings$standardize) result$lambda_y
         else if (settings$family != "gaussian") result$lambda / result$samples
         else result$lambda_y / sqrt(result$samples)
  if (!is.null(penalty$weight)) own <- own / penalty$weight
  if (is.null(given)) return(own)
  nearest <- vapply(own, function(lambda) given[which.min(abs(given - lambda))], 0)
  ifelse(abs(nearest - own) <= 1e-12 * own, nearest, own)
}

# One command from arguments to its results, notes said; errors are conditions with the command's text in R's words.
run_command <- function(command, call, x, beside, factors, options, lambdas = double(), callback = NULL) {
  given <- x_of(x)
  rows <- if (is.null(given$x)) NA else nrow(given$x)
  columns <- if (is.null(given$x)) NA else ncol(given$x)
  family <- if (is.null(options$family)) "gaussian" else options$family
  response <- response_of(beside$y, rows, family)
  for (name in c("weights", "offset")) if (!is.null(beside[[name]])) check_length(beside[[name]], rows, name, "row")
  for (column in beside$covariates) check_length(column, rows, "covariates", "row")
  numbers <- function(values) if (!is.null(values)) as.double(values)
  data <- list(x = given$x, names = colnames(given$x), y = response$y, name = "y", words = response$words,
               weights = numbers(beside$weights), offset = numbers(beside$offset), covariates = beside$covariates,
               factors = factors_of(factors, columns), folds = beside$folds, keep = beside$keep, split = beside$split,
               start = beside$start)
  options <- c(given$options, options)
  result <- .Call(strads_r_call, command, as.character(names(options)), vapply(options, option_text, ""), data,
                  as.double(lambdas), guarded(callback))
  result <- checked(result, call)
  if (isTRUE(result$others > 0)) {
    refuse("options: found several responses or l1 ratios, expected one of each; give y as a matrix, pheno_name as names ",
           "between commas, and alpha as a vector")
  }
  result$classes <- response$classes
  result$has_offset <- beside$has_offset || result$model$has_offset
  result <- c(result, figures_of_rows(beside, response$y, family))
  if (!is.null(beside$split)) result$of_refit <- figures_of_rows(beside, response$y, family, 1:2)
  # Of a split in a file nobody here knows who trains.
  result$from_split_file <- is.null(beside$split) && !is.null(options$split)
  if (result$from_split_file) {
    if (!is.null(beside$weights)) result$log_weights <- NA_real_
    if (family == "poisson") result$log_saturated <- NA_real_
  }
  result$has_y <- !is.null(beside$y)
  # To the command "1", "2", ... are numbers of columns, and no names.
  result$named <- !is.null(colnames(given$x))
  result$given <- c("weights", "offset", "covariates", "penalty.factor", "split")[
    !c(is.null(beside$weights), !beside$has_offset, is.null(beside$covariates), is.null(factors), is.null(beside$split))]
  result
}

# The callback with what it signals as its value, so that the run ends before R acts on it.
guarded <- function(callback) {
  if (is.null(callback)) return(NULL)
  function(state) {
    tryCatch(isTRUE(callback(state)), error = function(signalled) signalled, interrupt = function(signalled) signalled)
  }
}

# Says the notes; raises what went wrong.
checked <- function(result, call = NULL) {
  result$notes <- in_r(result$notes)
  for (note in result$notes) message("strads: ", note)
  if (is.null(result$error)) return(result)
  kind <- paste0("strads_", result$error, "_error")
  stop(structure(class = c(kind, "strads_error", "error", "condition"),
                 list(message = in_r(result$message), call = call)))
}

# Signals what ended a run from outside: an error of the callback, or R's interrupt, which has what was found until then.
raise_end <- function(fit, result) {
  if (inherits(result$condition, "error")) stop(result$condition)
  if (isTRUE(result$interrupted) || inherits(result$condition, "interrupt")) {
    condition <- structure(class = c("strads_interrupt", "interrupt", "condition"),
                           list(message = "interrupted", call = fit$call, fit = fit))
    signalCondition(condition)
    message("strads: interrupted; tryCatch(..., interrupt = function(i) i$fit) has what was found until then")
    if (interactive()) invokeRestart("abort")
    stop(structure(class = c("strads_error", "error", "condition"), list(message = "interrupted", call = fit$call)))
  }
}

# What a run leaves when it ends: a warning where it was cut off or where a solution misses `thresh`, R's interrupt where
# the user interrupted it.
finish <- function(fit, result) {
  raise_end(fit, result)
  if (isTRUE(result$converged)) return(fit)
  path <- if (inherits(fit, "strads_cv")) fit$glmnet.fit else fit
  warning(unmet_text(path, result$stop_reason, inherits(fit, "strads_cv")), call. = FALSE)
  fit
}

# Which solutions are not certified, with their gaps, the worst first.
unmet_text <- function(path, reason, of_folds) {
  why <- switch(reason, signal = "the callback ended the run", max_rounds = "options$max_rounds was reached",
                max_seconds = "options$max_seconds was reached", converged = "", reason)
  why <- if (why == "") "" else paste0(" (", why, ")")
  unmet <- which(!path$converged)
  if (length(unmet) == 0) {
    return(paste0("ended before all that was asked for was solved", why, "; the ", length(path$lambda),
                  " solutions that are there meet thresh", if (of_folds) ", those of the folds may not"))
  }
  unmet <- unmet[order(-path$relative.gap[unmet])]
  worst <- utils::head(unmet, 3)
  shown <- paste0("lambda ", signif(path$lambda[worst], 4), " (relative gap ", signif(path$relative.gap[worst], 2), ")")
  paste0(length(unmet), " of ", length(path$lambda), if (length(path$lambda) == 1) " solution misses" else " solutions miss",
         " thresh", why, ": ", paste(shown, collapse = ", "), if (length(unmet) > 3) ", ...",
         "; $relative.gap says how far from the optimum each may be")
}

# A data.frame of columns of one length; as.data.frame() takes as long as a small fit.
table_of <- function(columns) {
  structure(columns, class = "data.frame", row.names = .set_row_names(length(columns[[1]])))
}

tables_of <- function(options) {
  checked(.Call(strads_r_tables, as.character(names(options)), vapply(options, option_text, "")))
}

# glmnet's assess.glmnet, roc.glmnet and confusion.glmnet ask predict() and family() of an object that has a class with
# "glmnet" in its name, and take anything else for predictions.
like_glmnet <- "strads_like_glmnet"

# The parts that glmnet's results have, and the certificates.
new_strads <- function(result, class, call, penalty, settings, given) {
  steps <- length(result$lambda)
  columns <- if (steps > 0) paste0("s", seq_len(steps) - 1) else character()
  beta <- dgCMatrix_of(result$beta, c(result$columns, steps), list(result$variable_names, columns))
  covariates <- matrix(as.double(result$covariates), ncol = steps,
                       dimnames = list(result$model$covariate_names, columns))
  model <- result$model
  model$variables <- table_of(model$variables)
  settings$given <- result$given
  settings$has_y <- result$has_y
  settings$named <- result$named
  settings$from_split_file <- result$from_split_file
  structure(class = c(class, "strads", like_glmnet), list(
    call = call, a0 = stats::setNames(result$intercept, columns), beta = beta, covariates = covariates,
    df = diff(result$beta$p), dim = dim(beta),
    lambda = glmnet_lambda(result, penalty, settings, given),
    lambda.unit = result$lambda, dev.ratio = result$explained, nulldev = result$null_deviance * result$weight_mean,
    log.weights = result$log_weights, log.saturated = result$log_saturated,
    alpha = settings$alpha, family = model$family,
    classnames = if (model$family == "binomial") {
      if (is.null(result$classes)) model$classes else result$classes
    },
    nobs = result$samples, offset = result$has_offset,
    objective = result$objective, gap = result$gap, relative.gap = result$relative_gap,
    converged = result$solution_converged, beta.hash = result$beta_hash, path.hash = result$path_hash,
    stop.reason = result$stop_reason, rounds = result$rounds, updates = result$updates,
    seconds = stats::setNames(result$seconds, c("load", "solve", "check")),
    notes = result$notes, config = result$config, settings = settings, model = model))
}
