# coef, predict, plot, print.

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

# Intercept, covariates and beta at s (NULL: all lambdas).
solutions_at <- function(object, s) {
  if (is.null(s)) {
    names <- colnames(object$beta)
    places <- list(left = seq_along(object$lambda), share = 1)
  } else {
    if (!is.numeric(s) || anyNA(s)) stop("s: expected lambdas", call. = FALSE)
    if (inherits(object, "strads_lasso") && any(s != object$lambda)) {
      stop("s: this is a fit at lambda ", object$lambda, " alone; use strads_path", call. = FALSE)
    }
    names <- paste0("s", seq_along(s))
    places <- places_of(object$lambda, s)
  }
  named <- function(part) {
    colnames(part) <- names
    part
  }
  list(a0 = named(at_lambdas(matrix(object$a0, nrow = 1), places)),
       covariates = named(at_lambdas(object$covariates, places)), beta = named(at_lambdas(object$beta, places)))
}

lambda_of_cv <- function(object, s) {
  if (is.numeric(s)) return(s)
  s <- match.arg(s[1], c("lambda.1se", "lambda.min"))
  if (is.na(object[[s]])) stop("no lambda has all folds: the run ended too early to choose one", call. = FALSE)
  object[[s]]
}

# glmnet would fit again where s is not one of the lambdas.
refuse_exact <- function(exact = FALSE, ...) {
  if (isTRUE(exact)) stop("exact = TRUE is not there: fit at these lambdas, strads_path(x, y, lambda = s)", call. = FALSE)
}

coef.strads <- function(object, s = NULL, ...) {
  refuse_exact(...)
  at <- solutions_at(object, s)
  rownames(at$a0) <- "(Intercept)"
  as(rbind(as(rbind(at$a0, at$covariates), "CsparseMatrix"), at$beta), "CsparseMatrix")
}

coef.strads_cv <- function(object, s = c("lambda.1se", "lambda.min"), ...) {
  coef(object$glmnet.fit, s = lambda_of_cv(object, s), ...)
}

predict.strads <- function(object, newx, s = NULL, type = c("link", "response", "coefficients", "nonzero", "class"),
                           newoffset = NULL, newcovariates = NULL, options = list(), ...) {
  type <- match.arg(type)
  refuse_exact(...)
  if (type == "coefficients") return(coef(object, s = s))
  at <- solutions_at(object, s)
  if (type == "nonzero") return(nonzero_of(at$beta))
  if (type == "class" && object$family != "binomial") {
    stop("type = \"class\" needs a fit of family \"binomial\"", call. = FALSE)
  }
  if (missing(newx)) stop("newx: expected a matrix, or the path of a .bed or .pgen", call. = FALSE)
  link <- if (is.character(newx)) {
    predict_files(object, at, newx, newoffset, newcovariates, options)
  } else {
    predict_matrix(object, at, newx, newoffset, newcovariates)
  }
  if (object$family != "binomial" || type == "link") return(link)
  if (type == "response") return(stats::plogis(link))
  classes <- matrix(object$classnames[1 + (link > 0)], nrow(link), dimnames = dimnames(link))
  classes
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

# The offset for each of `rows` (NA: not known), or NULL where the fit had none.
new_offset <- function(object, newoffset, rows) {
  if (!object$offset) return(NULL)
  if (is.null(newoffset)) stop("newoffset: found none, expected one for each row, since the fit has offsets", call. = FALSE)
  if (!is.na(rows) && length(newoffset) == 1) newoffset <- rep(newoffset, rows)
  check_length(newoffset, rows, "newoffset", "row")
  as.double(newoffset)
}

# The columns of the fit's covariates: by their names, or where there are none in their order.
new_covariates <- function(object, newcovariates) {
  wanted <- rownames(object$covariates)
  if (length(wanted) == 0) return(NULL)
  found <- covariates_of(newcovariates, "newcovariates")
  if (is.null(colnames(newcovariates)) && length(found) == length(wanted)) names(found) <- wanted
  if (!all(wanted %in% names(found))) {
    stop("newcovariates: found ", if (length(found) > 0) paste(names(found), collapse = ", ") else "none",
         ", expected the covariates of the fit: ", paste(wanted, collapse = ", "), call. = FALSE)
  }
  found[wanted]
}

predict_matrix <- function(object, at, newx, newoffset, newcovariates) {
  if (object$model$has_alleles) {
    stop("newx: the fit is of genotypes: give the path of a .bed or .pgen, whose variants are found by id and alleles",
         call. = FALSE)
  }
  if (is.raw(newx)) storage.mode(newx) <- "double"
  if (is.null(dim(newx)) || is.data.frame(newx) || ncol(newx) != nrow(at$beta)) {
    stop("newx: found ", if (is.null(ncol(newx))) class(newx)[1] else paste(ncol(newx), "columns"),
         ", expected a matrix of ", nrow(at$beta), " columns", call. = FALSE)
  }
  out <- as.matrix(newx %*% at$beta)
  out <- sweep(out, 2, at$a0, "+")
  offset <- new_offset(object, newoffset, nrow(newx))
  if (!is.null(offset)) out <- out + offset
  covariates <- new_covariates(object, newcovariates)
  for (column in covariates) check_length(column, nrow(newx), "newcovariates", "row")
  if (!is.null(covariates)) out <- out + do.call(cbind, covariates) %*% at$covariates
  dimnames(out) <- list(rownames(newx), colnames(at$beta))
  out
}

# Intercept, covariates and coefficients of the k-th of `at`, as the compiled half takes a model.
solution_of <- function(object, at, k) {
  list(object$model, at$a0[k], as.double(at$covariates[, k]), as.double(at$beta[object$model$variables$column, k]))
}

strads_export <- function(object, file, s = NULL, options = list()) {
  if (inherits(object, "strads_cv")) {
    s <- lambda_of_cv(object, if (is.null(s)) "lambda.1se" else s)
    object <- object$glmnet.fit
  }
  if (!inherits(object, "strads")) stop("object: found ", class(object)[1], ", expected a fit", call. = FALSE)
  at <- solutions_at(object, s)
  if (ncol(at$beta) != 1) stop("s: found ", ncol(at$beta), " lambdas, expected one; a file has one model", call. = FALSE)
  given <- option_list(list(), options)
  text <- do.call(.Call, c(list(strads_r_export), solution_of(object, at, 1),
                           list(as.character(names(given)), vapply(given, option_text, ""))))
  if (is.list(text)) checked(text)
  write_whole(text, path.expand(file))
  invisible(file)
}

# The whole text under that name, or nothing.
write_whole <- function(text, path) {
  part <- tempfile(paste0(basename(path), "."), dirname(path))
  connection <- if (grepl("\\.gz$", path)) gzfile(part, "wb") else file(part, "wb")
  on.exit({
    close(connection)
    unlink(part)
  })
  writeLines(text, connection, sep = "", useBytes = TRUE)
  close(connection)
  on.exit(unlink(part))
  if (!file.rename(part, path)) stop("file: ", path, " cannot be written", call. = FALSE)
}

# Variants by id and alleles, missing calls at their training means: `lasso predict`.
predict_files <- function(object, at, path, newoffset, newcovariates, options) {
  given <- option_list(file_options(path), options)
  data <- list()
  offset <- if (is.null(given$offset)) new_offset(object, newoffset, NA)
  # Of numbers it was subtracted from y, so that the model itself has none.
  if (object$model$has_offset) data$offset <- offset
  if (is.null(given$covar)) data$covariates <- new_covariates(object, newcovariates)
  if (anyNA(c(list(offset), data), recursive = TRUE)) stop("newoffset, newcovariates: found NA, expected numbers", call. = FALSE)
  out <- vapply(seq_len(ncol(at$beta)), function(k) {
    found <- do.call(.Call, c(list(strads_r_predict), solution_of(object, at, k),
                              list(as.character(names(given)), vapply(given, option_text, ""), data)))
    if (is.list(found)) checked(found)
    list(found)
  }, list(NULL))
  out <- matrix(unlist(out), ncol = ncol(at$beta))
  if (!object$model$has_offset && !is.null(offset)) {
    check_length(offset, nrow(out), "newoffset", "row")
    out <- out + offset
  }
  samples <- tables_of(given)$samples$IID
  dimnames(out) <- list(if (length(samples) == nrow(out)) samples, colnames(at$beta))
  out
}

plot.strads <- function(x, xvar = c("norm", "lambda", "dev"), label = FALSE, xlab = NULL, ylab = "Coefficients", ...) {
  xvar <- match.arg(xvar)
  shown <- Matrix::rowSums(x$beta != 0) > 0
  if (!any(shown) || length(x$lambda) < 2) {
    stop("plot: expected a path of at least two lambdas with coefficients that are not zero", call. = FALSE)
  }
  beta <- as.matrix(x$beta[shown, , drop = FALSE])
  across <- switch(xvar, norm = colSums(abs(beta)), lambda = log(x$lambda), dev = x$dev.ratio)
  if (is.null(xlab)) {
    xlab <- switch(xvar, norm = "L1 Norm", lambda = "Log Lambda",
                   dev = if (x$family == "binomial") "Fraction of Deviance Explained" else "R2")
  }
  matplot(across, t(beta), type = "l", lty = 1, xlab = xlab, ylab = ylab, ...)
  ticks <- pretty(across)
  ticks <- ticks[ticks >= min(across) & ticks <= max(across)]
  axis(3, at = ticks, labels = approx(across, x$df, ticks, method = "constant", ties = "ordered")$y, tcl = NA)
  if (label) {
    # Numbers of variables where their lines end: on the left for the smallest lambda on a logarithmic axis.
    end <- ncol(beta)
    text(across[end], beta[, end], which(shown), cex = 0.5, pos = if (xvar == "lambda") 2 else 4)
  }
  invisible(x)
}

plot.strads_cv <- function(x, sign.lambda = 1, xlab = NULL, ylab = x$name, ...) {
  if (length(x$cvm) == 0) stop("plot: no lambda has all folds", call. = FALSE)
  across <- sign.lambda * log(x$lambda)
  if (is.null(xlab)) xlab <- if (sign.lambda < 0) "-Log(Lambda)" else "Log(Lambda)"
  plot(across, x$cvm, ylim = range(x$cvup, x$cvlo), type = "n", xlab = xlab, ylab = ylab, ...)
  segments(across, x$cvlo, across, x$cvup, col = "darkgrey")
  points(across, x$cvm, pch = 20, col = "red")
  axis(3, at = across, labels = x$nzero, tick = FALSE, line = 0)
  abline(v = sign.lambda * log(c(x$lambda.min, x$lambda.1se)), lty = 3)
  invisible(x)
}

print.strads <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  cat("\nCall: ", deparse(x$call), "\n\n")
  print(data.frame(Df = x$df, `%Dev` = round(100 * x$dev.ratio, 2), Lambda = signif(x$lambda, digits),
                   Gap = signif(x$relative.gap, 2), check.names = FALSE))
  invisible(x)
}

print.strads_cv <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  cat("\nCall: ", deparse(x$call), "\n\nMeasure:", x$name, "\n\n")
  at <- x$index
  print(data.frame(Lambda = signif(x$lambda[at], digits), Index = at, Measure = signif(x$cvm[at], digits),
                   SE = signif(x$cvsd[at], digits), Nonzero = x$nzero[at], row.names = c("min", "1se")))
  invisible(x)
}
