# Several responses or several alpha in one call, an earlier fit to begin with, and who trains, validates and tests.

# One of several fits for each column of y and each alpha; NULL: the call is of one response at one alpha. `args` are the
# arguments of `fit`, all of them looked up once.
each_of <- function(fit, args, asked) {
  of_traits <- traits_of(args)
  columns <- columns_of_responses(args$y, args$family)
  alphas <- if (is.numeric(args$alpha) && length(args$alpha) > 1) args$alpha
  if (is.null(columns) && is.null(of_traits) && is.null(alphas)) return(NULL)
  if (!is.null(columns) && !is.null(of_traits)) {
    refuse("y, options$pheno_name: found several responses in both, expected them in one")
  }
  if (anyDuplicated(alphas) > 0) refuse("alpha: found ", alphas[anyDuplicated(alphas)], " twice, expected each once")
  responses <- if (!is.null(of_traits)) of_traits$names else names(columns)
  grid <- expand.grid(alpha = if (is.null(alphas)) NA_real_ else alphas,
                      response = if (is.null(responses)) NA_character_ else responses, stringsAsFactors = FALSE)
  names <- if (is.null(alphas)) grid$response else if (is.null(responses)) paste0("alpha ", grid$alpha)
           else paste0(grid$response, ", alpha ", grid$alpha)
  starts <- if (inherits(args$start, "strads_several")) starts_of(args$start, names)
  given_y <- asked$y
  fits <- list()
  for (place in seq_along(names)) {
    k <- as.double(match(grid$response[place], responses))
    if (!is.null(of_traits)) {
      args$options[[of_traits$option]] <- of_traits$names[k]
      asked$options <- as.call(c(list(as.name("list")), args$options))
    }
    if (!is.null(columns)) {
      args["y"] <- list(columns[[k]])
      # A data.frame has its columns by number in [[ ]], a matrix in [, ].
      asked$y <- if (isTRUE(attr(columns, "of_table"))) as.call(list(as.name("[["), given_y, k))
                 else as.call(list(as.name("["), given_y, quote(expr = ), k))
    }
    if (!is.null(alphas)) asked$alpha <- args$alpha <- grid$alpha[place]
    if (!is.null(starts)) args["start"] <- starts[place]
    # In the call of an error, too, data stand by their names.
    one <- tryCatch(do.call(fit, args), strads_error = function(e) {
      e$call <- asked
      if (!is.null(responses)) e$message <- paste0("response ", grid$response[place], ": ", conditionMessage(e))
      stop(e)
    })
    fits[[place]] <- called(one, asked)
  }
  names(fits) <- names
  structure(class = "strads_several", fits, response = grid$response, alpha = vapply(fits, alpha_of_fit, 0),
            best = best_of(fits, grid))
}

# The responses in the columns of y by name; NULL: there is one at most. glmnet's y of two columns counts two classes, so that
# classes in several columns are those of a data.frame.
columns_of_responses <- function(y, family) {
  if (is.null(dim(y)) || length(dim(y)) != 2 || ncol(y) < 2) return(NULL)
  if (is.data.frame(y)) {
    columns <- lapply(seq_along(y), function(k) {
      column <- y[[k]]
      if (is.null(dim(column)) && !is.null(row_names_of(y))) names(column) <- row_names_of(y)
      column
    })
    return(structure(columns, names = names_of_responses(names(y), length(columns)), of_table = TRUE))
  }
  if (!is.matrix(y)) return(NULL)
  if (family_of(family) == "binomial") {
    refuse("y: found ", shown(y), ", expected a vector of two classes; of several responses a data.frame with a column for each. ",
           "glmnet's matrix of how often each class was seen is not taken: give a row for each class, and weights")
  }
  if (!is.numeric(y)) expected("y", y, "numbers; of several responses a column for each")
  columns <- lapply(seq_len(ncol(y)), function(k) y[, k])
  structure(columns, names = names_of_responses(colnames(y), ncol(y)))
}

# y of one response, also where it is the only column of a table.
one_response <- function(y) {
  if (!is.data.frame(y) || ncol(y) != 1) return(y)
  column <- y[[1]]
  if (is.null(dim(column)) && !is.null(row_names_of(y))) names(column) <- row_names_of(y)
  column
}

# Of several fits the one that each begins with, by name.
starts_of <- function(start, names) {
  at <- match(names, names(start))
  if (anyNA(at)) {
    refuse("start: found fits of ", paste(names(start), collapse = "; "), ", expected one fit, or one for each of ",
           paste(names, collapse = "; "))
  }
  unclass(start)[at]
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

names_of_responses <- function(names, count) {
  if (is.null(names)) names <- paste0("y", seq_len(count))
  if (anyNA(names) || any(names == "")) refuse("y: found a column without a name, expected a name for each, or none at all")
  if (anyDuplicated(names) > 0) {
    refuse("y: found two columns with the name ", names[anyDuplicated(names)], ", expected different ones, or none at all")
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
  own[names(result$of_refit)] <- result$of_refit
  own$samples <- split$train + split$val
  own$path_hash <- NULL
  settings$parts <- c("train", "val")
  fit$refit <- new_strads(own, "strads_lasso", call, penalty, settings, given)
  fit
}
