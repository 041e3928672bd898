# What the functions for people have in common: from arguments to options and data, from results to objects.

.onLoad <- function(libname, pkgname) {
  built <- .Call(strads_r_version)[1]
  wanted <- packageDescription(pkgname, lib.loc = libname, fields = "Version")
  if (built != wanted) {
    stop("strads.so is of STRADS ", built, ", this package of ", wanted, ": install both from the same source",
         call. = FALSE)
  }
  loaded$no_columns <- new("dgCMatrix")
}

# What is made once a session, of the classes that are there then.
loaded <- new.env()

# The compiled half has seen to what new() would check, which takes as long as a small fit.
dgCMatrix_of <- function(slots, shape, names) {
  out <- loaded$no_columns
  out@p <- slots$p
  out@i <- as.integer(slots$i)
  out@x <- as.double(slots$x)
  out@Dim <- as.integer(shape)
  out@Dimnames <- names
  out
}

# A value of R as the text of an option; numbers come back as they were.
option_text <- function(value) {
  text <- if (is.logical(value)) ifelse(value, "on", "off")
          else if (is.numeric(value)) format_exactly(value)
          else as.character(value)
  paste(text, collapse = ",")
}

format_exactly <- function(values) {
  vapply(as.double(values), function(value) {
    if (is.infinite(value)) return(if (value > 0) "inf" else "-inf")
    short <- format(value, digits = 15, scientific = NA, trim = TRUE, decimal.mark = ".")
    if (identical(as.double(short), value)) short else sprintf("%.17g", value)
  }, "")
}

# Options by name, of which those of `more` (the user's own) win. NULL: the command's default.
option_list <- function(own, more) {
  if (!is.list(more) || (length(more) > 0 && (is.null(names(more)) || any(names(more) == "")))) {
    stop("options: expected a list with names, as list(`max-rounds` = 100)", call. = FALSE)
  }
  names(more) <- gsub("[._]", "-", names(more))
  own[names(more)] <- more
  Filter(Negate(is.null), own)
}

# x as the compiled half takes it, or the options that name its files.
x_of <- function(x) {
  if (is.character(x)) return(list(x = NULL, options = file_options(x)))
  if (is(x, "sparseMatrix")) {
    if (!is(x, "dgCMatrix")) {
      message("x is a ", class(x)[1], ": copied as a dgCMatrix")
      x <- as(as(as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
    }
    if (.Call(strads_r_has_zeros, x@x)) {
      message("x stores zeros: copied without them")
      x <- drop0(x)
    }
  } else {
    if (is.data.frame(x) || !is.matrix(x) || !(is.numeric(x) || is.logical(x) || is.raw(x))) {
      stop("x: found ", class(x)[1], ", expected a matrix of numbers, a dgCMatrix, or the path of a .bed or .pgen",
           call. = FALSE)
    }
    if (!is.double(x) && !is.raw(x)) {
      if (length(x) > 1e5) message("x is of ", typeof(x), "s: copied as doubles")
      storage.mode(x) <- "double"
    }
  }
  list(x = x, options = list())
}

file_options <- function(path) {
  if (length(path) != 1 || is.na(path)) stop("x: expected one path of a .bed or .pgen", call. = FALSE)
  prefix <- sub("\\.(bed|pgen)$", "", path)
  if (prefix == path) {
    stop("x: found '", path, "', expected a matrix of numbers, a dgCMatrix, or the path of a .bed or .pgen",
         call. = FALSE)
  }
  prefix <- path.expand(prefix)
  if (grepl("\\.bed$", path)) list(bfile = prefix) else list(pfile = prefix)
}

# The response: numbers, and for two classes given by name what 0 and 1 are called.
response_of <- function(y, rows, family) {
  if (is.null(y)) return(list(y = NULL))
  if (is.matrix(y) && ncol(y) == 1) y <- y[, 1]
  words <- named <- NULL
  if (is.factor(y) || is.character(y) || is.logical(y)) {
    if (family != "binomial") {
      stop("y: found a ", class(y)[1], ", expected numbers; for two classes say family = \"binomial\"", call. = FALSE)
    }
    y <- droplevels(as.factor(y))
    words <- levels(y)
    if (length(words) != 2) stop("y: found ", length(words), " classes, expected two", call. = FALSE)
    y <- as.integer(y) - 1L
    # The command takes the word that comes first in the alphabet for 0.
    if (!identical(sort(words, method = "radix"), words)) {
      message("strads: y: 0 is '", words[1], "', 1 is '", words[2], "'")
      named <- words
    }
  }
  if (!is.numeric(y) || is.matrix(y)) {
    stop("y: found ", class(y)[1], ", expected a vector of numbers or of two classes", call. = FALSE)
  }
  check_length(y, rows, "y", "row")
  list(y = as.double(y), words = if (is.null(named)) words, classes = words)
}

# What goes beside x, a value or more for each row. As glmnet does, an offset of numbers is taken from them.
rows_of <- function(y, weights, offset, covariates, family) {
  covariates <- covariates_of(covariates)
  given <- !is.null(offset)
  if (given && !is.numeric(offset)) stop("offset: found ", class(offset)[1], ", expected numbers", call. = FALSE)
  if (given && family == "gaussian") {
    if (!is.numeric(y) || length(y) != length(offset)) {
      stop("offset: found ", length(offset), " values, expected one for each number of y", call. = FALSE)
    }
    y <- as.double(y) - as.double(offset)
    offset <- NULL
  }
  list(y = y, weights = weights, offset = offset, covariates = covariates, has_offset = given)
}

# A list of columns by name, or NULL.
covariates_of <- function(covariates, name = "covariates") {
  if (is.null(covariates)) return(NULL)
  if (is.atomic(covariates) && is.null(dim(covariates))) covariates <- matrix(covariates, dimnames = list(NULL, "C1"))
  if (is.matrix(covariates)) {
    if (is.null(colnames(covariates))) colnames(covariates) <- paste0("C", seq_len(ncol(covariates)))
    covariates <- as.data.frame(covariates, optional = TRUE)
  }
  numeric <- is.data.frame(covariates) && all(vapply(covariates, function(one) is.numeric(one) || is.logical(one), NA))
  if (!numeric) {
    stop(name, ": expected a matrix or data.frame of numbers with a row for each row of x; model.matrix() makes one of ",
         "factors", call. = FALSE)
  }
  lapply(as.list(covariates), as.double)
}

check_length <- function(values, expected, name, of) {
  if (!is.na(expected) && length(values) != expected) {
    stop(name, ": found ", length(values), " values, expected one for each ", of, " of x: ", expected, call. = FALSE)
  }
}

# Factors as glmnet uses them: their mean over all columns is 1, where an infinite one (takes no part) counts as 1.
factors_of <- function(factors, columns) {
  if (is.null(factors)) return(NULL)
  check_length(factors, columns, "penalty.factor", "column")
  counted <- ifelse(is.infinite(factors), 1, pmax(factors, 0))
  ifelse(is.infinite(factors), Inf, counted * length(counted) / sum(counted))
}

is_nonnegative <- function(lower.limits) {
  if (all(lower.limits == -Inf)) return(FALSE)
  if (all(lower.limits == 0)) return(TRUE)
  stop("lower.limits: expected -Inf, or 0 for coefficients that are not negative", call. = FALSE)
}

# The options that all three commands have, from arguments named as glmnet's.
problem_options <- function(family, alpha, standardize, intercept, lower.limits, thresh) {
  centre <- if (intercept) NULL else FALSE
  numbers <- family == "gaussian"
  list(family = if (numbers) NULL else family,
       `l1-ratio` = if (alpha == 1) NULL else alpha,
       scale = if (standardize) NULL else FALSE,
       `scale-y` = if (standardize || !numbers) NULL else FALSE,
       center = centre,
       `center-y` = if (numbers) centre,
       intercept = if (!numbers) centre,
       nonnegative = if (is_nonnegative(lower.limits)) TRUE,
       tolerance = thresh)
}

# glmnet's lambda and alpha as the command takes them: list(lambda, scale, alpha, weight), where weight is what lambda
# was multiplied by (NULL: the scale has glmnet's meaning by itself). glmnet's loss is a mean over the samples, of two
# classes the command's is the sum; of numbers glmnet divides y by its standard deviation before all else.
glmnet_penalty <- function(lambda, alpha, standardize, family, x, rows, intercept) {
  if (!is.numeric(alpha) || length(alpha) != 1 || is.na(alpha)) {
    stop("alpha: found ", length(alpha), " values, expected one number; for several fit each, with the same foldid",
         call. = FALSE)
  }
  numbers <- family == "gaussian"
  scale <- if (!numbers) "unit" else if (standardize) "y" else "sample"
  if (numbers && (standardize || alpha == 1) || (!numbers && is.null(lambda))) {
    return(list(lambda = lambda, scale = if (!is.null(lambda)) scale, alpha = alpha))
  }
  y <- rows$y
  weights <- rows$weights
  if (is.character(x) || is.null(y)) {
    stop("lambda, alpha: with files their meaning in glmnet is known for numbers and standardize = TRUE, and for two ",
         "classes and no lambda; give those of the command line: options = list(lambda = ..., `l1-ratio` = ...)",
         call. = FALSE)
  }
  used <- !is.na(y) & (if (is.null(weights)) TRUE else !is.na(weights) & weights > 0)
  for (column in c(rows$covariates, list(rows$offset))) if (!is.null(column)) used <- used & !is.na(column)
  samples <- sum(used)
  if (!numbers) {
    return(list(lambda = lambda * classes_weight(alpha, standardize, samples), scale = scale, alpha = alpha))
  }
  shares <- if (is.null(weights)) rep(1 / samples, samples) else weights[used] / sum(weights[used])
  mean <- if (intercept) sum(shares * y[used]) else 0
  norm <- 1 / sqrt(sum(shares * (y[used] - mean)^2))
  weight <- alpha + (1 - alpha) * norm
  list(lambda = if (!is.null(lambda)) lambda * weight, scale = if (!is.null(lambda)) scale, alpha = alpha / weight,
       weight = weight)
}

# The command's lambda of two classes for glmnet's 1.
classes_weight <- function(alpha, standardize, samples) {
  if (!standardize) samples else if (alpha == 0) 1 else sqrt(samples)
}

# The other way round.
glmnet_lambda <- function(result, penalty, standardize, family) {
  if (family == "binomial") return(if (standardize) result$lambda_y else result$lambda / result$samples)
  own <- if (standardize) result$lambda_y else result$lambda_y / sqrt(result$samples)
  if (is.null(penalty$weight)) own else own / penalty$weight
}

# One command from arguments to its results, notes said; errors are conditions with the command's text.
run_command <- function(command, call, x, beside, factors, options, lambdas = double(), callback = NULL) {
  given <- x_of(x)
  rows <- if (is.null(given$x)) NA else nrow(given$x)
  columns <- if (is.null(given$x)) NA else ncol(given$x)
  response <- response_of(beside$y, rows, if (is.null(options$family)) "gaussian" else options$family)
  for (name in c("weights", "offset")) if (!is.null(beside[[name]])) check_length(beside[[name]], rows, name, "row")
  for (column in beside$covariates) check_length(column, rows, "covariates", "row")
  numbers <- function(values) if (!is.null(values)) as.double(values)
  data <- list(x = given$x, names = colnames(given$x), y = response$y, name = "y", words = response$words,
               weights = numbers(beside$weights), offset = numbers(beside$offset), covariates = beside$covariates,
               factors = factors_of(factors, columns), folds = beside$folds)
  options <- c(given$options, options)
  result <- .Call(strads_r_call, command, as.character(names(options)), vapply(options, option_text, ""), data,
                  as.double(lambdas), guarded(callback))
  result <- checked(result, call)
  result$classes <- response$classes
  result$has_offset <- beside$has_offset || result$model$has_offset
  result
}

# The callback with what it signals as its value, so that the run ends before R acts on it.
guarded <- function(callback) {
  if (is.null(callback)) return(NULL)
  if (!is.function(callback)) stop("callback: found ", class(callback)[1], ", expected a function", call. = FALSE)
  function(state) {
    tryCatch(isTRUE(callback(state)), error = function(signalled) signalled, interrupt = function(signalled) signalled)
  }
}

# Says the notes; raises what went wrong.
checked <- function(result, call = NULL) {
  for (note in result$notes) message("strads: ", note)
  if (is.null(result$error)) return(result)
  kind <- paste0("strads_", result$error, "_error")
  stop(structure(class = c(kind, "strads_error", "error", "condition"),
                 list(message = result$message, call = call)))
}

# What a run leaves when it ends: a warning where it was cut off, R's interrupt where the user interrupted it.
finish <- function(fit, result) {
  if (inherits(result$condition, "error")) stop(result$condition)
  if (isTRUE(result$interrupted) || inherits(result$condition, "interrupt")) {
    condition <- structure(class = c("strads_interrupt", "interrupt", "condition"),
                           list(message = "interrupted", call = fit$call, fit = fit))
    signalCondition(condition)
    message("strads: interrupted; tryCatch(..., interrupt = function(i) i$fit) has what was found until then")
    if (interactive()) invokeRestart("abort")
    stop(structure(class = c("strads_error", "error", "condition"), list(message = "interrupted", call = fit$call)))
  }
  if (!isTRUE(result$converged)) {
    warning("ended before everything met the tolerance (", result$stop_reason, "); $relative.gap says how far from ",
            "the optimum it may be", call. = FALSE)
  }
  fit
}

# A data.frame of columns of one length; as.data.frame() takes as long as a small fit.
table_of <- function(columns) {
  structure(columns, class = "data.frame", row.names = .set_row_names(length(columns[[1]])))
}

tables_of <- function(options) {
  checked(.Call(strads_r_tables, as.character(names(options)), vapply(options, option_text, "")))
}

# The parts that glmnet's results have, and the certificates.
new_strads <- function(result, class, call, alpha, penalty, standardize) {
  steps <- length(result$lambda)
  columns <- if (steps > 0) paste0("s", seq_len(steps) - 1) else character()
  beta <- dgCMatrix_of(result$beta, c(result$columns, steps), list(result$variable_names, columns))
  covariates <- matrix(as.double(result$covariates), ncol = steps,
                       dimnames = list(result$model$covariate_names, columns))
  model <- result$model
  model$variables <- table_of(model$variables)
  structure(class = c(class, "strads"), list(
    call = call, a0 = stats::setNames(result$intercept, columns), beta = beta, covariates = covariates,
    df = diff(result$beta$p), dim = dim(beta),
    lambda = glmnet_lambda(result, penalty, standardize, model$family),
    lambda.unit = result$lambda, dev.ratio = result$explained, alpha = alpha, family = model$family,
    classnames = if (model$family == "binomial") {
      if (is.null(result$classes)) model$classes else result$classes
    },
    nobs = result$samples, offset = result$has_offset,
    objective = result$objective, gap = result$gap, relative.gap = result$relative_gap,
    converged = result$solution_converged, beta.hash = result$beta_hash, path.hash = result$path_hash,
    stop.reason = result$stop_reason, rounds = result$rounds, updates = result$updates,
    seconds = stats::setNames(result$seconds, c("load", "solve", "check")),
    notes = result$notes, config = result$config, model = model))
}
