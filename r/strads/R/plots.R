# Pictures: coefficients along a path, the error of a cross-validation; numbers of variables on top.

# Numbers of nonzeros at ticks of an axis. Between two solutions those of the one with the smaller lambda, as glmnet's.
df_at <- function(across, df, ticks) {
  order <- order(across, -df)
  across <- across[order]
  df <- df[order]
  # Where two solutions stand at one place: the larger number.
  first <- !duplicated(across)
  across <- across[first]
  df <- df[first]
  if (length(across) == 1) return(rep(df, length(ticks)))
  falling <- df[1] > df[length(df)]
  approx(across, df, ticks, method = "constant", rule = 2, f = if (falling) 0 else 1)$y
}

plot.strads <- function(x, xvar = c("norm", "lambda", "dev"), label = FALSE, xlab = NULL, ylab = "Coefficients",
                        type = "l", lty = 1, ...) {
  xvar <- one_of(xvar, c("norm", "lambda", "dev"), "xvar")
  label <- flag(label, "label")
  shown <- Matrix::rowSums(x$beta != 0) > 0
  if (!any(shown) || length(x$lambda) < 2) {
    refuse("plot: expected a path of at least two lambdas with coefficients that are not zero")
  }
  beta <- as.matrix(x$beta[shown, , drop = FALSE])
  across <- switch(xvar, norm = colSums(abs(beta)), lambda = log(x$lambda), dev = x$dev.ratio)
  if (is.null(xlab)) {
    xlab <- switch(xvar, norm = "L1 Norm", lambda = "Log Lambda", dev = "Fraction Deviance Explained")
  }
  matplot(across, t(beta), type = type, lty = lty, xlab = xlab, ylab = ylab, ...)
  ticks <- pretty(across)
  axis(3, at = ticks, labels = df_at(across, x$df, ticks), tcl = NA)
  if (label) {
    # Numbers of variables where their lines end: on the left for the smallest lambda on a logarithmic axis.
    end <- ncol(beta)
    text(across[end], beta[, end], which(shown), cex = 0.5, pos = if (xvar == "lambda") 2 else 4)
  }
  invisible(x)
}

plot.strads_cv <- function(x, sign.lambda = 1, xlab = NULL, ylab = x$name, ...) {
  if (length(x$cvm) == 0) refuse("plot: no lambda has all folds")
  sign.lambda <- number_of(sign.lambda, "sign.lambda", function(v) v %in% c(-1, 1), "1 or -1")
  across <- sign.lambda * log(x$lambda)
  if (is.null(xlab)) xlab <- if (sign.lambda < 0) "-Log(Lambda)" else "Log(Lambda)"
  plot(across, x$cvm, ylim = range(x$cvup, x$cvlo), type = "n", xlab = xlab, ylab = ylab, ...)
  segments(across, x$cvlo, across, x$cvup, col = "darkgrey")
  points(across, x$cvm, pch = 20, col = "red")
  axis(3, at = across, labels = x$nzero, tick = FALSE, line = 0)
  abline(v = sign.lambda * log(c(x$lambda.min, x$lambda.1se)), lty = 3)
  invisible(x)
}
