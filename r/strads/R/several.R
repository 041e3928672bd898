# Several responses or several alpha in one call, an earlier fit to begin with, and who trains, validates and tests.

# One of several fits for each column of y and each alpha; NULL: the call is of one response at one alpha. `args` are the
# arguments of `fit`, all of them looked up once.
each_of <- function(fit, args, asked) {
  of_traits <- traits_of(args)
  columns <- if (is.matrix(args$y) && ncol(args$y) > 1 && is.numeric(args$y) && family_of(args$family) == "gaussian") {
    seq_len(ncol(args$y))
  }
  alphas <- if (is.numeric(args$alpha) && length(args$alpha) > 1) args$alpha
  if (is.null(columns) && is.null(of_traits) && is.null(alphas)) return(NULL)
  if (anyDuplicated(alphas) > 0) refuse("alpha: found ", alphas[anyDuplicated(alphas)], " twice, expected each once")
  responses <- if (!is.null(of_traits)) of_traits$names else names_of_responses(args$y, columns)
  y <- args$y
  fits <- list()
  for (k in seq_len(max(1, length(responses)))) {
    if (!is.null(of_traits)) {
      args$options[[of_traits$option]] <- of_traits$names[k]
      asked$options <- as.call(c(list(as.name("list")), args$options))
    }
    if (!is.null(columns)) {
      args["y"] <- list(y[, k])
      asked$y <- as.call(list(as.name("["), asked$y, quote(expr = ), k))
    }
    for (a in if (is.null(alphas)) list(NULL) else alphas) {
      if (!is.null(a)) asked$alpha <- args$alpha <- a
      # In the call of an error, too, data stand by their names.
      one <- tryCatch(do.call(fit, args), strads_error = function(e) {
        e$call <- asked
        stop(e)
      })
      fits[[length(fits) + 1]] <- called(one, asked)
    }
    # The next column is one of what was asked for.
    if (!is.null(columns)) asked$y <- asked$y[[2]]
  }
  grid <- expand.grid(alpha = if (is.null(alphas)) NA_real_ else alphas,
                      response = if (is.null(responses)) NA_character_ else responses, stringsAsFactors = FALSE)
  names(fits) <- if (is.null(alphas)) grid$response else if (is.null(responses)) paste0("alpha ", grid$alpha)
                 else paste0(grid$response, ", alpha ", grid$alpha)
  structure(class = "strads_several", fits, response = grid$response, alpha = vapply(fits, alpha_of_fit, 0),
            best = best_of(fits, grid))
}

# The columns that options name: options = list(pheno_name = "height,bmi").
traits_of <- function(args) {
  option <- which(gsub("[._]", "-", names(args$options)) == "pheno-name")
  if (length(option) != 1 || !is.character(args$options[[option]])) return(NULL)
  names <- strsplit(args$options[[option]], ",", fixed = TRUE)[[1]]
  if (length(names) < 2) return(NULL)
  if (any(names == "") || anyDuplicated(names) > 0) {
    refuse("options$pheno_name: found ", args$options[[option]], ", expected different names between single commas")
  }
  list(option = option, names = names)
}

names_of_responses <- function(y, columns) {
  if (is.null(columns)) return(NULL)
  names <- colnames(y)
  if (is.null(names)) names <- paste0("y", columns)
  if (anyNA(names) || any(names == "") || anyDuplicated(names) > 0) {
    refuse("y: expected different names of its columns, or none")
  }
  names
}

# A fit with the call that makes it again. Its data stand in it by their names, not as values.
called <- function(fit, asked) {
  fit$call <- asked
  if (inherits(fit, "strads_cv")) fit$glmnet.fit$call <- asked
  fit
}

alpha_of_fit <- function(fit) if (inherits(fit, "strads_cv")) fit$glmnet.fit$alpha else fit$alpha

# Of cross-validations, and of paths with a split: for each response the place of the one with the best error, of equal
# ones the first; NULL: nothing compares them.
best_of <- function(fits, grid) {
  errors <- lapply(fits, function(fit) {
    if (inherits(fit, "strads_cv")) return(c(fit$cvm[fit$index["min", 1]], names(fit$name) == "auc"))
    if (!is.null(fit$split)) return(c(fit$split$error[fit$split$index], fit$split$measure == "auc"))
  })
  if (any(vapply(errors, function(one) length(one) != 2 || is.na(one[1]), NA))) return(NULL)
  value <- vapply(errors, function(one) if (one[2] == 1) -one[1] else one[1], 0)
  groups <- split(seq_along(fits), match(grid$response, unique(grid$response)))
  unname(vapply(groups, function(places) places[which.min(value[places])], 0L))
}

print.strads_several <- function(x, ...) {
  best <- attr(x, "best")
  for (k in seq_along(x)) {
    cat("$", names(x)[k], if (k %in% best) "   (the best)", "\n", sep = "")
    print(x[[k]], ...)
  }
  invisible(x)
}

# The last solution of an earlier fit, as the compiled half takes a model.
start_of <- function(start, family) {
  if (is.null(start)) return(NULL)
  if (inherits(start, "strads_cv")) start <- start$glmnet.fit
  if (!inherits(start, "strads")) expected("start", start, "an earlier fit")
  if (start$family != family) {
    refuse("start: found a fit of family \"", start$family, "\", whose coefficients say nothing about \"", family, "\"")
  }
  if (length(start$lambda) == 0) return(NULL)
  solution_of(start, solutions_at(start, NULL), length(start$lambda))
}

# Parts of the rows as numbers: 0 none, 1 train, 2 val, 3 test.
split_codes <- function(split, rows) {
  if (is.null(split)) return(NULL)
  check_length(split, rows, "split", "row")
  parts <- c("train", "val", "test")
  words <- as.character(split)
  wrong <- which(!is.na(words) & !words %in% parts)
  if (length(wrong) > 0) {
    refuse("split: found \"", words[wrong[1]], "\" in row ", wrong[1], ", expected ", any_of(parts),
           ", or NA where a row takes no part")
  }
  codes <- match(words, parts)
  ifelse(is.na(codes), 0L, codes)
}

# What those who validate have chosen, and the fit of train and val.
with_split <- function(fit, result, call, penalty, settings, given) {
  split <- result$split
  if (is.null(split)) return(fit)
  scores <- do.call(rbind, c(list(val = split$on_val), list(test = split$on_test), list(refit = split$refit_on_test)))
  fit$split <- list(measure = split$measure, error = split$error, index = as.integer(split$chosen),
                    lambda = fit$lambda[split$chosen], samples = c(train = split$train, val = split$val, test = split$test),
                    scores = scores)
  if (is.null(split$refit)) return(fit)
  own <- result
  own[names(split$refit)] <- split$refit
  own$samples <- split$train + split$val
  own$path_hash <- NULL
  fit$refit <- new_strads(own, "strads_lasso", call, penalty, settings, given)
  fit
}
