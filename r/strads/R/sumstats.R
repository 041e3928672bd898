# strads_sumstats: the Lasso on the results of a study and the genotypes of a reference panel.

strads_sumstats <- function(x, sumstats = NULL, r = NULL, beta = NULL, se = NULL, p = NULL, n = NULL, frequency = NULL,
                            blocks = NULL, ld_blocks = NULL, shrink = c(0.2, 0.5, 0.9, 1), lambda = NULL, nlambda = 20,
                            lambda.min.ratio = NULL, validation = NULL, thresh = NULL, callback = NULL, options = list()) {
  call <- match.call()
  if (!is.null(callback) && !is.function(callback)) expected("callback", callback, "a function")
  panel <- x_of(x)
  arrays <- list(r = r, beta = beta, se = se, p = p, n = n, frequency = frequency)
  files <- files_of_study(sumstats, is.null(panel$x))
  study <- study_of(arrays, blocks, !is.null(sumstats))
  people <- validation_of(validation, panel$x)
  given <- lambdas_of_study(lambda)
  own <- list(sumstats = files, n = if (is_one_number(n)) number_of(n, "n", function(v) v > 2, "more than 2 people"),
              `ld-blocks` = path_of(ld_blocks, "ld_blocks"), shrink = shrinkages_of(shrink), lambda = given,
              lambdas = if (is.null(given)) whole_of(nlambda, "nlambda", 1),
              `lambda-min-ratio` = number_or_null(lambda.min.ratio, "lambda.min.ratio", function(v) v > 0 && v < 1,
                                                  "a number above 0 and below 1"),
              tolerance = thresh_of(thresh))
  all <- c(panel$options, people$options, option_list(own, options))
  result <- .Call(strads_r_sumstats, as.character(names(all)), vapply(all, option_text, ""), list(x = panel$x), study,
                  people$data, guarded(callback))
  result <- checked(result, call)
  fit <- new_sumstats(result, call, x, panel, options)
  raise_end(fit, result)
  if (!isTRUE(result$converged)) warning(unmet_solutions(fit), call. = FALSE)
  fit
}

is_one_number <- function(value) is.numeric(value) && length(value) == 1 && is.null(dim(value))

# Paths of the study's results, for a panel that has names.
files_of_study <- function(sumstats, on_disk) {
  if (is.null(sumstats)) return(NULL)
  if (!is.character(sumstats) || length(sumstats) == 0 || anyNA(sumstats)) {
    expected("sumstats", sumstats, "paths of the results of a study")
  }
  if (!on_disk) {
    refuse("sumstats: files are matched with a panel that has names: give the path of a .bed or .pgen as x, or the ",
           "statistics as vectors")
  }
  path.expand(sumstats)
}

path_of <- function(path, name) {
  if (is.null(path)) return(NULL)
  if (!is.character(path) || length(path) != 1 || is.na(path)) expected(name, path, "one path")
  path.expand(path)
}

# Vectors of statistics for the compiled half, NULL with files. One n is an option.
study_of <- function(arrays, blocks, has_files) {
  vectors <- Filter(Negate(is.null), arrays)
  if (is_one_number(arrays$n)) vectors$n <- NULL
  if (has_files) {
    twice <- c(names(vectors), if (!is.null(blocks)) "blocks")
    if (length(twice) > 0) refuse(twice[1], ": statistics are given by sumstats, too; give one of the two")
    return(NULL)
  }
  for (name in names(vectors)) {
    if (!is.numeric(vectors[[name]]) || !is.null(dim(vectors[[name]]))) {
      expected(name, vectors[[name]], "numbers, one for each column of x; NA is unknown")
    }
    vectors[[name]] <- as.double(vectors[[name]])
  }
  if (!is.null(blocks)) {
    if (!is.atomic(blocks) || !is.null(dim(blocks)) || anyNA(blocks)) {
      expected("blocks", blocks, "the LD block of each column of x, any labels")
    }
    vectors$blocks <- match(blocks, unique(blocks)) - 1L
  }
  vectors
}

shrinkages_of <- function(shrink) {
  if (!is.numeric(shrink) || length(shrink) == 0 || anyNA(shrink) || any(shrink <= 0 | shrink > 1)) {
    expected("shrink", shrink, paste0("numbers above 0, at most 1", if (is.numeric(shrink) && any(shrink %in% 0)) {
      "; without shrinkage the problem may have no minimum, and nothing could be certified"
    }))
  }
  as.double(shrink)
}

lambdas_of_study <- function(lambda) {
  if (is.null(lambda)) return(NULL)
  if (!is.numeric(lambda) || length(lambda) == 0 || !all(is.finite(lambda)) || any(lambda <= 0)) {
    expected("lambda", lambda, "numbers above 0, on the scale of correlations")
  }
  as.double(lambda)
}

# People who choose: list(x, y), where x is as the panel, and y the trait; of files y may be NULL, their own.
validation_of <- function(validation, panel) {
  if (is.null(validation)) return(list(options = list(), data = NULL))
  what <- "list(x, y): genotypes of people, and their trait"
  if (!is.list(validation) || is.data.frame(validation) || length(validation) != 2) expected("validation", validation, what)
  if (!is.null(names(validation))) {
    if (!setequal(names(validation), c("x", "y"))) {
      refuse("validation: found ", paste(names(validation), collapse = ", "), ", expected ", what)
    }
    validation <- validation[c("x", "y")]
  }
  x <- validation[[1]]
  y <- numbers_of_rows(validation[[2]], "validation$y", "numbers, of two classes 0 and 1")
  if (is.character(x) && is.null(dim(x))) {
    options <- file_options(x, "validation$x")
    names(options) <- paste0("validate-", names(options))
    return(list(options = options, data = if (!is.null(y)) list(y = as.double(y), name = "y")))
  }
  x <- x_of(x)$x
  if (is.null(y)) refuse("validation$y: found NULL, expected the trait of these people")
  check_length(y, nrow(x), "validation$y", "row")
  if (!is.null(panel) && ncol(x) != ncol(panel)) {
    refuse("validation$x: found ", ncol(x), " columns, expected those of the panel: ", ncol(panel))
  }
  if (!is.null(colnames(x)) && !is.null(colnames(panel)) && !identical(colnames(x), colnames(panel))) {
    refuse("validation$x: its columns have other names than those of the panel, or another order; expected the same")
  }
  list(options = list(), data = list(x = x, y = as.double(y), name = "y"))
}

new_sumstats <- function(result, call, x, panel, options) {
  shrinks <- result$shrinks
  steps <- paste0("s", seq_along(result$lambdas) - 1)
  points <- if (length(shrinks) > 0) paste0(rep(shrinks, each = length(steps)), ":", steps) else character()
  variants <- table_of(result$variants)
  table <- if (is.null(panel$x)) tables_of(panel$options)$variants
  names <- if (!is.null(table)) table$id else if (!is.null(colnames(panel$x))) colnames(panel$x)
           else paste0("V", seq_len(result$columns))
  solutions <- function(slots) dgCMatrix_of(slots, c(result$columns, length(points)), list(names, points))
  grid <- function(values) {
    matrix(values, length(shrinks), length(steps), byrow = TRUE, dimnames = list(shrinks, steps))
  }
  beta <- solutions(result$beta)
  used <- variants[variants$column %in% (unique(beta@i) + 1), , drop = FALSE]
  used <- used[order(used$column), , drop = FALSE]
  word <- function(name) if (is.null(table)) rep("", nrow(used)) else table[[name]][used$column]
  model <- list(response = "trait", columns = result$columns, has_alleles = !is.null(table), has_names = !is.null(table),
                covariate_names = character(), family = "gaussian", classes = c("", ""), has_offset = FALSE,
                variables = table_of(list(column = used$column, id = names[used$column], chromosome = word("chromosome"),
                                          position = word("position"), A1 = word("A1"), A2 = word("A2"), mean = used$mean)))
  fit <- structure(class = "strads_sumstats", list(
    call = call, shrink = shrinks, lambda = result$lambdas, beta = beta, standardized = solutions(result$standardized),
    df = grid(diff(beta@p)), objective = grid(result$objective), gap = grid(result$gap),
    relative.gap = grid(result$relative_gap), converged = result$converged, dim = dim(beta), nobs = result$samples,
    variants = variants, dropped = stats::setNames(result$dropped, result$reasons), weights = result$weights,
    lambda.max = result$lambda_max, n.max = result$n_max, frequency.correlation = result$frequency_correlation,
    model.hash = result$model_hash, stop.reason = result$stop_reason, rounds = result$rounds, updates = result$updates,
    seconds = stats::setNames(result$seconds, c("load", "solve", "check")), notes = result$notes, config = result$config,
    # As a fit of strads_path has them, for predictions.
    covariates = matrix(0, 0, length(points)), offset = FALSE, model = model,
    settings = list(named = !is.null(colnames(panel$x)), options = list(missing = "mean"))))
  if (is.null(result$choice)) return(fit)
  point <- result$choice$point
  fit$measured <- grid(result$measured)
  fit$chosen <- list(point = as.integer(point), shrink = shrinks[(point - 1) %/% length(steps) + 1],
                     lambda = result$lambdas[(point - 1) %% length(steps) + 1], df = diff(beta@p)[point],
                     by = result$choice$by, measure = result$choice$measure, measured = result$measured[point],
                     people = result$choice$people)
  fit
}

unmet_solutions <- function(fit) {
  why <- switch(fit$stop.reason, signal = "the callback ended the run", max_rounds = "options$max_rounds was reached",
                max_seconds = "options$max_seconds was reached", fit$stop.reason)
  paste0("some solutions miss thresh (", why, "); $relative.gap says how far from the optimum each may be")
}

# The solution that is meant: the chosen one, or that of the grid whose shrinkage and lambda are nearest.
point_of <- function(object, shrink, lambda) {
  if (is.null(shrink) && is.null(lambda)) {
    if (is.null(object$chosen)) {
      refuse("object: every solution is empty, so that none was chosen; give shrink and lambda, or smaller lambdas to the fit")
    }
    return(object$chosen$point)
  }
  if (is.null(shrink) || is.null(lambda)) {
    refuse("shrink, lambda: found one of the two, expected both, or none for the chosen solution")
  }
  shrink <- number_of(shrink, "shrink", function(v) v > 0 && v <= 1, "one number above 0, at most 1")
  lambda <- number_of(lambda, "lambda", function(v) v >= 0 && v < Inf, "one number of at least 0")
  (which.min(abs(object$shrink - shrink)) - 1L) * length(object$lambda) + which.min(abs(object$lambda - lambda))
}

# As solutions_at() has those of a path.
solution_at <- function(object, shrink, lambda) {
  k <- point_of(object, shrink, lambda)
  list(a0 = matrix(0, 1, 1), covariates = object$covariates[, k, drop = FALSE], beta = object$beta[, k, drop = FALSE])
}

coef.strads_sumstats <- function(object, shrink = NULL, lambda = NULL, ...) {
  no_more("coef", list(...), c("shrink", "lambda"))
  solution_at(object, shrink, lambda)$beta
}

predict.strads_sumstats <- function(object, newx, shrink = NULL, lambda = NULL, options = list(), ...) {
  no_more("predict", list(...), c("newx", "shrink", "lambda", "options"))
  at <- solution_at(object, shrink, lambda)
  if (missing(newx) || is.null(newx)) refuse("newx: expected a matrix, or the path of a .bed or .pgen")
  if (!is.character(newx) || !is.null(dim(newx))) {
    if (length(options) > 0) refuse("options: they say which data of files; with a matrix there are none")
    return(predict_matrix(object, at, newx, NULL, NULL))
  }
  if (!object$model$has_alleles) {
    refuse("newx: the panel was a matrix, whose variants have no alleles: read the genotypes into a matrix, too")
  }
  predict_files(object, at, newx, NULL, NULL, options)
}

print.strads_sumstats <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  cat("\nCall: ", call_text(x$call, class(x)[1]), "\n\n")
  cat("Panel of ", x$nobs, " people, ", nrow(x$variants), " of ", x$dim[1], " variants in ",
      length(unique(x$variants$block)), " blocks\n\n", sep = "")
  table <- data.frame(Shrink = signif(x$shrink, digits), Lambdas = length(x$lambda), MinDf = apply(x$df, 1, min),
                      MaxDf = apply(x$df, 1, max), Gap = signif(apply(x$relative.gap, 1, max), 2))
  print(table, row.names = FALSE)
  if (is.null(x$chosen)) {
    cat("\nNone is chosen: every solution is empty; give smaller lambdas\n")
    return(invisible(x))
  }
  chosen <- x$chosen
  cat("\nChosen: shrink ", signif(chosen$shrink, digits), ", lambda ", signif(chosen$lambda, digits), ", ",
      chosen$df, " variants, by ", chosen$by, " (", chosen$measure, " ", signif(chosen$measured, digits),
      if (chosen$by == "validation") paste0(" of ", chosen$people, " people, optimistic since they chose it"), ")\n", sep = "")
  invisible(x)
}
