# coef and predict: a path at given lambdas, by interpolation or solved anew.

# Columns of the path and their shares at each s: on the line between two solutions, as glmnet without exact = TRUE.
# Where s is beyond the path's ends: its first or last solution.
places_of <- function(lambda, s) {
  if (length(lambda) == 1) {
    return(list(left = rep(1L, length(s)), right = rep(1L, length(s)), share = rep(1, length(s))))
  }
  s <- pmin(pmax(s, min(lambda)), max(lambda))
  # For lambdas that fall: the last one that is at least s.
  left <- pmin(findInterval(-s, -lambda), length(lambda) - 1L)
  share <- (s - lambda[left + 1L]) / (lambda[left] - lambda[left + 1L])
  exact <- match(s, lambda)
  share[!is.na(exact)] <- 1
  left[!is.na(exact)] <- exact[!is.na(exact)]
  list(left = left, right = pmin(left + 1L, length(lambda)), share = share)
}

# A part of a path (columns are lambdas) at s.
at_lambdas <- function(part, places) {
  if (all(places$share == 1)) return(part[, places$left, drop = FALSE])
  left <- part[, places$left, drop = FALSE]
  right <- part[, places$right, drop = FALSE]
  if (is.matrix(part)) {
    return(sweep(left, 2, places$share, "*") + sweep(right, 2, 1 - places$share, "*"))
  }
  left %*% Matrix::Diagonal(x = places$share) + right %*% Matrix::Diagonal(x = 1 - places$share)
}

check_s <- function(s) {
  valid <- is.numeric(s) && length(s) > 0 && !anyNA(s) && all(s >= 0)
  if (!valid) expected("s", s, "lambdas: numbers of at least 0")
}

# Intercept, covariates and beta at s (NULL: all lambdas).
solutions_at <- function(object, s) {
  if (length(object$lambda) == 0) refuse("object: has no solution, since its run ended before the first")
  if (is.null(s)) {
    names <- colnames(object$beta)
    places <- list(left = seq_along(object$lambda), share = 1)
  } else {
    check_s(s)
    if (inherits(object, "strads_lasso") && any(s != object$lambda)) {
      refuse("s: this is a fit at lambda ", object$lambda, " alone; use strads_path, or exact = TRUE with x and y")
    }
    names <- if (is.null(names(s))) paste0("s", seq_along(s)) else names(s)
    places <- places_of(object$lambda, s)
  }
  named <- function(part) {
    colnames(part) <- names
    part
  }
  list(a0 = named(at_lambdas(matrix(object$a0, nrow = 1), places)),
       covariates = named(at_lambdas(object$covariates, places)), beta = named(at_lambdas(object$beta, places)))
}

choices_of_cv <- c("lambda.1se", "lambda.min")

lambda_of_cv <- function(object, s) {
  if (is.numeric(s)) return(s)
  if (identical(s, choices_of_cv)) s <- s[1]
  if (!is.character(s) || length(s) != 1 || is.na(pmatch(s, choices_of_cv))) {
    expected("s", s, "\"lambda.1se\", \"lambda.min\" or lambdas")
  }
  s <- choices_of_cv[pmatch(s, choices_of_cv)]
  if (is.na(object[[s]])) refuse("s: no lambda has all folds: the run ended too early to choose one")
  object[[s]]
}

# Solved at those of s that the path does not have. As glmnet's, it needs the data of the fit once more; those of another
# fit show in the deviances.
solved_at <- function(object, s, given) {
  settings <- object$settings
  unknown <- setdiff(names(given), c("x", "y", "weights", "offset", "covariates", "penalty.factor", "split"))
  if (length(unknown) > 0 || (length(given) > 0 && (is.null(names(given)) || any(names(given) == "")))) {
    no_more("exact = TRUE", given[!names(given) %in% setdiff(names(given), unknown)],
            c("the data of the fit: x, y and, where it had them, weights, offset, covariates, penalty.factor, split"))
  }
  if (is.null(s)) return(object)
  check_s(s)
  fresh <- sort(unique(s[!s %in% object$lambda]), decreasing = TRUE)
  if (length(fresh) == 0) return(object)
  if (any(fresh == 0)) refuse("s: found 0, expected lambdas above 0; for no penalty at all take lm() or glm()")
  wanted <- c("x", if (settings$has_y) "y", settings$given)
  missing <- setdiff(wanted, names(given))
  if (length(missing) > 0) {
    refuse("exact = TRUE fits again, with the data of the fit: found ",
           if (length(given) == 0) "none" else paste(names(given), collapse = ", "), ", expected also ",
           paste(missing, collapse = ", "), ", as in coef(fit, s = 0.1, exact = TRUE, x = x, y = y)")
  }
  if (settings$from_split_file) refuse("exact = TRUE: the split was read from a file; solve more lambdas in the path itself")
  if (!is.null(settings$parts)) given <- of_parts(given, settings$parts)
  again <- do.call(strads_path, c(given, settings[c("family", "alpha", "standardize", "intercept", "lower.limits", "thresh")],
                                  list(lambda = fresh, options = path_only(settings$options))))
  check_same_data(object, again)
  merged(object, again)
}

# The data of a split, of which only the rows in `parts` take part.
of_parts <- function(given, parts) {
  if (is.null(given$y) || is.null(given$split)) {
    refuse("exact = TRUE: of a fit with a split it needs x, y and split in memory; solve more lambdas in the path itself")
  }
  given$y <- one_response(given$y)
  if (is.matrix(given$y)) given$y <- given$y[, 1]
  check_length(given$split, length(given$y), "split", "row")
  given$y[!as.character(given$split) %in% parts] <- NA
  given$split <- NULL
  given
}

# Options that say how a grid is made or what a cross-validation does mean nothing at given lambdas.
path_only <- function(options) {
  names <- gsub("[._]", "-", names(options))
  options[names %in% strads_options("path")$name & !names %in% c("lambdas", "lambda-min-ratio", "lambda-file", "early-end")]
}

check_same_data <- function(object, again) {
  same <- identical(object$dim[1], again$dim[1]) && object$nobs == again$nobs &&
    abs(object$nulldev - again$nulldev) <= 1e-8 * max(object$nulldev, again$nulldev)
  # What is explained rises as lambda falls. Gaps leave that open by far less than this; other data do not come so near.
  slack <- 1e-3
  falls <- vapply(seq_along(again$lambda), function(k) {
    above <- object$dev.ratio[object$lambda > again$lambda[k]]
    below <- object$dev.ratio[object$lambda < again$lambda[k]]
    (length(above) > 0 && again$dev.ratio[k] < max(above) - slack) ||
      (length(below) > 0 && again$dev.ratio[k] > min(below) + slack)
  }, NA)
  if (!same || any(falls)) {
    refuse("exact = TRUE: x, y and what goes beside them are not the data of the fit (", again$nobs, " rows of ", again$dim[1],
           " columns with a null deviance of ", signif(again$nulldev, 6), "; of the fit ", object$nobs, ", ", object$dim[1],
           " and ", signif(object$nulldev, 6), "); expected the same")
  }
}

# One path with the lambdas of both.
merged <- function(object, again) {
  order <- order(c(object$lambda, again$lambda), decreasing = TRUE)
  beta <- cbind(object$beta, again$beta)[, order, drop = FALSE]
  covariates <- cbind(object$covariates, again$covariates)[, order, drop = FALSE]
  names <- paste0("s", seq_along(order) - 1)
  colnames(beta) <- colnames(covariates) <- names
  out <- object
  for (part in c("lambda", "a0", "df", "dev.ratio", "relative.gap", "gap", "objective", "converged", "beta.hash",
                 "lambda.unit")) {
    out[[part]] <- c(object[[part]], again[[part]])[order]
  }
  names(out$a0) <- names
  out$beta <- beta
  out$covariates <- covariates
  out$dim <- dim(beta)
  if (!is.null(object$split)) {  # nobody has looked at the new ones on val
    out$split$index <- match(object$split$lambda, out$lambda)
    out$split$error <- object$split$error[match(out$lambda, object$lambda)]
  }
  # What a prediction of genotypes knows of its variants.
  variables <- rbind(object$model$variables, again$model$variables)
  variables <- variables[!duplicated(variables$column), , drop = FALSE]
  out$model$variables <- variables[order(variables$column), , drop = FALSE]
  class(out) <- c("strads_path", "strads", like_glmnet)
  out
}

# The object that answers for s, and that nothing else was asked for.
ready_for <- function(object, s, exact, given, of) {
  if (flag(exact, "exact")) return(solved_at(object, s, given))
  no_more(of, given, "s, exact = TRUE with x and y, and what its help page lists")
  object
}

coef.strads <- function(object, s = NULL, exact = FALSE, ...) {
  at <- solutions_at(ready_for(object, s, exact, list(...), "coef"), s)
  rownames(at$a0) <- "(Intercept)"
  as(rbind(as(rbind(at$a0, at$covariates), "CsparseMatrix"), at$beta), "CsparseMatrix")
}

coef.strads_cv <- function(object, s = c("lambda.1se", "lambda.min"), ...) {
  coef(object$glmnet.fit, s = lambda_of_cv(object, s), ...)
}

predict.strads <- function(object, newx, s = NULL, type = c("link", "response", "coefficients", "nonzero", "class"),
                           exact = FALSE, newoffset = NULL, newcovariates = NULL, options = list(), ...) {
  type <- one_of(type, c("link", "response", "coefficients", "nonzero", "class"), "type")
  if (type == "class" && object$family != "binomial") refuse("type: \"class\" needs a fit of family \"binomial\"")
  object <- ready_for(object, s, exact, list(...), "predict")
  if (type == "coefficients") return(coef(object, s = s))
  at <- solutions_at(object, s)
  if (type == "nonzero") return(nonzero_of(at$beta))
  if (missing(newx) || is.null(newx)) refuse("newx: expected a matrix, or the path of a .bed or .pgen")
  link <- if (is.character(newx) && is.null(dim(newx))) {
    predict_files(object, at, newx, newoffset, newcovariates, options)
  } else {
    if (length(options) > 0) refuse("options: they say which data of files; with a matrix there are none")
    predict_matrix(object, at, newx, newoffset, newcovariates)
  }
  if (type == "link") return(link)
  if (type == "response") return(families[[object$family]]$mean(link))
  matrix(object$classnames[1 + (link > 0)], nrow(link), dimnames = dimnames(link))
}

predict.strads_cv <- function(object, newx, s = c("lambda.1se", "lambda.min"), ...) {
  predict(object$glmnet.fit, newx, s = lambda_of_cv(object, s), ...)
}

nonzero_of <- function(beta) {
  lists <- lapply(seq_len(ncol(beta)), function(k) {
    rows <- beta@i[seq_len(beta@p[k + 1] - beta@p[k]) + beta@p[k]] + 1L
    values <- beta@x[seq_len(beta@p[k + 1] - beta@p[k]) + beta@p[k]]
    rows[values != 0]
  })
  names(lists) <- colnames(beta)
  lists
}
