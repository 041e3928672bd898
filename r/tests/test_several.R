# Several responses, several alpha, a split into train, val and test, and an earlier fit to begin with.
source("support.R")
diabetes <- read_dataset("diabetes")
x <- diabetes$x
y <- cbind(first = diabetes$y, second = x[, 3] * 2 - diabetes$y / 100)
y[7, "second"] <- NA
parts <- c("train", "train", "val", "train", "test")[seq_len(nrow(x)) %% 5 + 1]
parts[2] <- NA

refused <- function(sentence, what) {
  found <- tryCatch({
    what
    "nothing"
  }, strads_error = conditionMessage)
  expect(grepl(sentence, found, fixed = TRUE), c("expected:", sentence, "found:", found))
}

test("each response at each alpha is the fit that it is alone", {
  fits <- strads_path(x, y, alpha = c(1, 0.5), nlambda = 10)
  expect(identical(names(fits), c("first, alpha 1", "first, alpha 0.5", "second, alpha 1", "second, alpha 0.5")))
  expect(identical(attr(fits, "response"), c("first", "first", "second", "second")))
  expect(is.null(attr(fits, "best")))
  for (k in seq_along(fits)) {
    alone <- strads_path(x, y[, attr(fits, "response")[k]], alpha = attr(fits, "alpha")[[k]], nlambda = 10)
    expect(identical(fits[[k]]$path.hash, alone$path.hash) && identical(fits[[k]]$lambda, alone$lambda))
    expect(identical(predict(fits[[k]], x), predict(alone, x)))
  }
  expect(identical(deparse(fits[[3]]$call$y), "y[, 2]") && identical(fits[[4]]$call$alpha, 0.5))
  expect(identical(eval(fits[[4]]$call)$path.hash, fits[[4]]$path.hash))
  expect(length(utils::capture.output(print(fits))) > 40)
})

test("of columns without names they are counted, and one column is one response", {
  fits <- strads_lasso(x, unname(y), lambda_ratio = 0.2)
  expect(identical(names(fits), c("y1", "y2")) && inherits(fits$y2, "strads_lasso"))
  expect(inherits(strads_lasso(x, y[, 1, drop = FALSE], lambda_ratio = 0.2), "strads_lasso"))
})

test("cross-validations are compared on the same folds", {
  fold <- rep(1:4, length.out = nrow(x))
  fits <- strads_cv(x, y[, 1], alpha = c(1, 0.2), foldid = fold, nlambda = 12)
  expect(identical(names(fits), c("alpha 1", "alpha 0.2")))
  errors <- vapply(fits, function(fit) min(fit$cvm), 0)
  expect(identical(attr(fits, "best"), unname(which.min(errors))))
  expect(identical(fits[[2]]$cvm, strads_cv(x, y[, 1], alpha = 0.2, foldid = fold, nlambda = 12)$cvm))
})

test("columns of a table of phenotypes are named by options", {
  traits <- utils::read.delim(file.path(dirname(genotypes), "pheno.tsv"))
  traits$other <- rev(traits$sim20)
  table <- tempfile("traits", fileext = ".tsv")
  utils::write.table(traits, table, sep = "\t", quote = FALSE, row.names = FALSE)
  both <- c("sim20", "other")
  fits <- suppressMessages(strads_path(genotypes, nlambda = 4,
                                       options = list(pheno = table, pheno_name = paste(both, collapse = ","))))
  expect(identical(names(fits), both))
  alone <- suppressMessages(strads_path(genotypes, nlambda = 4, options = list(pheno = table, pheno_name = both[2])))
  expect(identical(fits[[2]]$path.hash, alone$path.hash))
})

test("a split chooses on val, fits train and val, and scores on test", {
  fit <- strads_path(x, y[, 1], split = parts, nlambda = 30)
  held <- function(part) which(!is.na(parts) & parts == part)
  alone <- strads_path(x[held("train"), ], y[held("train"), 1], nlambda = 30)
  shared <- seq_along(fit$lambda)
  expect(isTRUE(all.equal(fit$lambda, alone$lambda[shared], tolerance = 1e-9)))
  errors <- colMeans((predict(fit, x[held("val"), ]) - y[held("val"), 1])^2)
  expect(isTRUE(all.equal(fit$split$error, unname(errors), tolerance = 1e-9)))
  expect(fit$split$index == which.min(errors) && fit$split$lambda == fit$lambda[which.min(errors)])
  expect(identical(unname(fit$split$samples), as.double(c(length(held("train")), length(held("val")), length(held("test"))))))
  tested <- mean((predict(fit$refit, x[held("test"), ]) - y[held("test"), 1])^2)
  expect(isTRUE(all.equal(unname(fit$split$scores["refit", "mse"]), tested, tolerance = 1e-9)))
  expect(fit$refit$nobs == length(held("train")) + length(held("val")))
  both <- c(held("train"), held("val"))
  again <- strads_lasso(x[both, ], y[both, 1], lambda = fit$refit$lambda)
  expect(max(abs(predict(again, x) - predict(fit$refit, x))) < 1)
  expect(is.null(strads_path(x, y[, 1], split = parts, nlambda = 5, options = list(refit = FALSE))$refit))
})

test("paths with a split are compared on val", {
  fits <- strads_path(x, y, alpha = c(1, 0.3), split = factor(parts), nlambda = 15)
  errors <- vapply(fits, function(fit) fit$split$error[fit$split$index], 0)
  expect(identical(attr(fits, "best"), c(unname(which.min(errors[1:2])), 2L + unname(which.min(errors[3:4])))))
})

test("an earlier fit is where a run begins, and its answer is as certain", {
  cold <- strads_path(x, y[, 1], nlambda = 10)
  for (start in list(cold, strads_lasso(x, y[, 1], lambda_ratio = 0.1))) {
    warm <- suppressMessages(strads_path(x, y[, 1], nlambda = 10, start = start))
    expect(any(startsWith(warm$notes, "warm start")), warm$notes)
    expect(all(warm$converged) && max(abs(warm$objective / cold$objective - 1)) < 2e-6)
  }
  cv <- suppressMessages(strads_cv(x, y[, 1], nfolds = 3, nlambda = 6, start = cold))
  expect(all(cv$glmnet.fit$converged))
})

test("statistics of a split are those of its rows alone, with weights, offsets and lambdas as they are", {
  weights <- rep(c(0.5, 1, 2, 0.25), length.out = nrow(x))
  offset <- 0.2 * sin(seq_len(nrow(x)))
  count <- floor(diabetes$y / 30)
  train <- which(parts %in% "train")
  both <- which(parts %in% c("train", "val"))
  for (family in c("gaussian", "poisson")) for (standardize in c(TRUE, FALSE)) {
    own <- list(family = family, standardize = standardize, thresh = 1e-10)
    given <- list(x = x, y = count, weights = weights, offset = offset)
    rows <- function(at) list(x = x[at, ], y = count[at], weights = weights[at], offset = offset[at])
    fit <- do.call(strads_path, c(given, own, list(split = parts, nlambda = 8)))
    alone <- do.call(strads_path, c(rows(train), own, list(nlambda = 8, options = list(early_end = FALSE))))
    again <- do.call(strads_lasso, c(rows(both), own, list(lambda = fit$refit$lambda)))
    at <- seq_along(fit$lambda)
    same <- function(a, b) expect(isTRUE(all.equal(as.double(a), as.double(b), tolerance = 1e-6)), c(family, standardize, a, b))
    same(fit$lambda, alone$lambda[at])
    for (what in list(deviance, logLik, nobs)) {
      same(what(fit), if (identical(what, nobs)) nobs(alone) else what(alone)[at])
      same(what(fit$refit), what(again))
    }
    same(fit$nulldev, alone$nulldev)
    same(coef(fit$refit)[, 1], coef(again)[, 1])
    between <- mean(fit$lambda[2:3])
    same(coef(fit, s = between, exact = TRUE, x = x, y = count, weights = weights, offset = offset, split = parts)[, 1],
         coef(do.call(strads_lasso, c(rows(train), own, list(lambda = between))))[, 1])
  }
  fit <- strads_path(x, count, family = "poisson", weights = weights, offset = offset, split = parts, nlambda = 5)
  expect(identical(dim(fitted(fit)), c(nrow(x), length(fit$lambda))))
  expect(identical(fitted(fit$refit), predict(fit$refit, x, type = "response", newoffset = offset)))
  expect(any(grepl("^Best on val: lambda ", utils::capture.output(print(fit)))))
  expect(all(is.nan(strads_path(x, count, split = rep_len(c("train", "val"), nrow(x)), nlambda = 4)$split$scores["test", -1])))
})

test("counts have several responses and alpha, and a data.frame may have classes", {
  table <- data.frame(visits = floor(diabetes$y / 30), falls = floor(diabetes$y / 90))
  for (given in list(table, as.matrix(table))) {
    fits <- strads_path(x, given, family = "poisson", alpha = c(1, 0.5), split = parts, nlambda = 6)
    expect(identical(names(fits), c("visits, alpha 1", "visits, alpha 0.5", "falls, alpha 1", "falls, alpha 0.5")))
    alone <- strads_path(x, table$falls, family = "poisson", alpha = 0.5, split = parts, nlambda = 6)
    expect(identical(fits[[4]]$path.hash, alone$path.hash) && identical(fits[[4]]$refit$beta.hash, alone$refit$beta.hash))
    expect(identical(eval(fits[[4]]$call)$path.hash, alone$path.hash))
  }
  classes <- data.frame(ill = factor(ifelse(diabetes$y > 140, "yes", "no")), old = x[, "age"] > stats::median(x[, "age"]))
  fits <- strads_cv(x, classes, family = "binomial", nlambda = 4, nfolds = 3)
  expect(identical(fits$ill$glmnet.fit$classnames, c("no", "yes")) && identical(fits$old$glmnet.fit$classnames, c("FALSE", "TRUE")))
  expect(identical(fits$ill$cvm, strads_cv(x, classes$ill, family = "binomial", nlambda = 4, nfolds = 3)$cvm))
  one <- strads_lasso(x, table["falls"], lambda_ratio = 0.2)
  expect(identical(one$beta.hash, strads_lasso(x, table$falls, lambda_ratio = 0.2)$beta.hash))
  warm <- suppressMessages(strads_cv(x, table, family = "poisson", nlambda = 4, nfolds = 3,
                                     start = strads_cv(x, table, family = "poisson", nlambda = 4, nfolds = 3)))
  expect(all(vapply(warm, function(fit) any(startsWith(fit$glmnet.fit$notes, "warm start")), NA)))
  refused("response falls: the response of row 1 is -1", strads_lasso(x, replace(table, "falls", -1), family = "poisson"))
  refused("start: found fits of visits; falls", strads_lasso(x, y, start = strads_lasso(x, table)))
  refused("expected a vector of two classes; of several responses a data.frame", strads_lasso(x, as.matrix(table), family = "binomial"))
})

test("what cannot be meant is refused", {
  refused("alpha: found 1 twice", strads_path(x, y[, 1], alpha = c(1, 0.5, 1)))
  refused("alpha: found", strads_path(x, y[, 1], alpha = c(1, 2)))
  refused("split: found \"val2\" in row 3", strads_path(x, y[, 1], split = replace(parts, 3, "val2")))
  refused("split: found 3 values", strads_path(x, y[, 1], split = parts[1:3]))
  refused("start: found \"zeros\", expected an earlier fit", strads_path(x, y[, 1], start = "zeros"))
  refused("give y as a matrix", strads_cv(x, y[, 1], options = list(l1_ratio = "1,0.5")))
  colnames(y) <- c("a", "a")
  refused("y: found two columns with the name a, expected different ones", strads_lasso(x, y))
})
