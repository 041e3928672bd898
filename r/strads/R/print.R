# Tables for people.

# The call as one or more lines; data that stood in it as values (do.call) are not written out.
call_text <- function(call, own) {
  # do.call() puts the function itself first.
  if (is.function(call[[1]])) call[[1]] <- as.name(own)
  for (k in seq_along(call)[-1]) {
    value <- call[[k]]
    if (!is.language(value) && (is.function(value) || length(value) > 10 || !is.null(dim(value)))) {
      call[[k]] <- as.name(paste0("<", class(value)[1], ">"))
    }
  }
  paste(deparse(call), collapse = "\n")
}

print.strads <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  cat("\nCall: ", call_text(x$call, class(x)[1]), "\n\n")
  if (length(x$lambda) == 0) {
    cat("No solution: the run ended before the first\n")
    return(invisible(x))
  }
  print(data.frame(Df = x$df, `%Dev` = round(100 * x$dev.ratio, 2), Lambda = signif(x$lambda, digits),
                   Gap = signif(x$relative.gap, 2), check.names = FALSE))
  if (!all(x$converged)) {
    cat("\n", sum(!x$converged), " of ", length(x$converged), " miss thresh: Gap says how far from the optimum each may be\n",
        sep = "")
  }
  if (!is.null(x$split)) {
    cat("\nBest on val: lambda ", signif(x$split$lambda, digits), ", ", x$split$measure, " ",
        signif(x$split$error[x$split$index], digits), " (", paste(x$split$samples, names(x$split$samples), collapse = ", "), ")\n",
        sep = "")
  }
  invisible(x)
}

print.strads_cv <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  cat("\nCall: ", call_text(x$call, class(x)[1]), "\n\nMeasure:", x$name, "\n\n")
  if (length(x$cvm) == 0) {
    cat("No lambda has all folds: the run ended too early to choose one\n")
    return(invisible(x))
  }
  at <- x$index[, "Lambda"]
  print(data.frame(Lambda = signif(x$lambda[at], digits), Index = at, Measure = signif(x$cvm[at], digits),
                   SE = signif(x$cvsd[at], digits), Nonzero = x$nzero[at], row.names = c("min", "1se")))
  invisible(x)
}
