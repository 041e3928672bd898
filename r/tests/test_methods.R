# What R asks of a model: deviance, fitted values, log-likelihood, tidy tables; right values from glmnet, lm and glm.
source("support.R")
if (!requireNamespace("glmnet", quietly = TRUE)) stop("glmnet is not installed: scripts/install_packages r")
diabetes <- read_dataset("diabetes")
x <- diabetes$x
y <- diabetes$y
classes <- factor(ifelse(y > 140, "high", "low"))
weights <- rep(c(0.5, 1, 2, 0.25), length.out = length(y))

near <- function(ours, theirs, tolerance = 1e-6) {
  distance <- max(abs(as.double(ours) - as.double(theirs))) / max(1, abs(as.double(theirs)))
  expect(length(ours) == length(theirs) && distance < tolerance, c(length(ours), length(theirs), distance))
}

test("deviance, null deviance and number of observations are glmnet's", {
  for (family in c("gaussian", "binomial")) for (weighted in c(FALSE, TRUE)) for (with_offset in c(FALSE, TRUE)) {
    response <- if (family == "gaussian") y else classes
    more <- c(if (weighted) list(weights = weights), if (with_offset) list(offset = sin(seq_along(y))))
    theirs <- do.call(glmnet::glmnet, c(list(x, response, family = family, nlambda = 15, thresh = 1e-20, maxit = 1e7), more))
    ours <- suppressMessages(do.call(strads_path, c(list(x, response, family = family, lambda = theirs$lambda,
                                                         thresh = 1e-12), more)))
    near(ours$nulldev, theirs$nulldev, 1e-9)
    near(deviance(ours), deviance(theirs))
    near(deviance(ours, s = theirs$lambda[c(7, 3)]), deviance(theirs)[c(7, 3)])
    expect(nobs(ours) == theirs$nobs)
  }
})

test("the null deviance of a fit with covariates is that of the covariates alone", {
  free <- as.data.frame(x[, 1:2])
  ours <- suppressMessages(strads_path(x[, -(1:2)], y, covariates = free, weights = weights, nlambda = 5))
  near(ours$nulldev, deviance(stats::lm(y ~ ., free, weights = weights)), 1e-9)
  ours <- suppressMessages(strads_path(x[, -(1:2)], classes, family = "binomial", covariates = free, nlambda = 5))
  near(ours$nulldev, deviance(stats::glm(classes ~ ., stats::binomial, free)), 1e-9)
})

test("the log-likelihood of the whole model is that of lm and glm, and AIC and BIC are", {
  ours <- strads_path(x, y, lambda = c(40, 1e-3), weights = weights, thresh = 1e-12)
  whole <- stats::lm(y ~ x, weights = weights)
  near(logLik(ours)[2], logLik(whole), 1e-6)
  expect(attr(logLik(ours), "df")[2] == attr(logLik(whole), "df") && attr(logLik(ours), "nobs") == nobs(whole))
  near(stats::AIC(logLik(ours))[2], stats::AIC(whole))
  near(stats::BIC(logLik(ours, s = 1e-3)), stats::BIC(whole))
  ours <- suppressMessages(strads_path(x, classes, lambda = c(0.1, 1e-5), family = "binomial", thresh = 1e-11))
  whole <- stats::glm(classes ~ x, stats::binomial)
  near(logLik(ours)[2], logLik(whole))
  near(stats::AIC(logLik(ours))[2], stats::AIC(whole))
  cv <- strads_cv(x, y, nfolds = 3, nlambda = 10)
  expect(identical(logLik(cv, s = "lambda.min"), logLik(cv$glmnet.fit, s = cv$lambda.min)))
  expect(identical(deviance(cv), deviance(cv$glmnet.fit, s = cv$lambda.1se)) && nobs(cv) == 442)
})

test("fitted values are predictions of the rows of the fit, also of one that took no part", {
  response <- replace(y, 5, NA)
  fit <- suppressMessages(strads_path(x, response, nlambda = 10))
  expect(identical(fitted(fit), predict(fit, x)))
  expect(identical(fitted(fit, s = fit$lambda[3]), predict(fit, x, s = fit$lambda[3])))
  offset <- sin(seq_along(y))
  free <- data.frame(half = cos(seq_along(y)))
  free$half[7] <- NA
  fit <- suppressMessages(strads_lasso(x, classes, family = "binomial", offset = offset, covariates = free,
                                       weights = weights, lambda = 0.02))
  whole <- replace(free$half, 7, 0)
  right <- predict(fit, x, newoffset = offset, newcovariates = data.frame(half = whole), type = "response")
  expect(identical(fitted(fit)[-7, ], right[-7, ]) && is.na(fitted(fit)[7, ]))
  expect(identical(fitted(fit, type = "link")[-7, ], stats::qlogis(right)[-7, ]) ||
           max(abs(fitted(fit, type = "link")[-7, ] - stats::qlogis(right)[-7, ])) < 1e-12)
  cv <- strads_cv(x, y, nfolds = 3, nlambda = 10)
  expect(identical(fitted(cv), predict(cv, x)) && identical(fitted(cv, s = "lambda.min"), predict(cv, x, s = "lambda.min")))
  trait <- utils::read.delim(file.path(dirname(genotypes), "pheno.tsv"))$sim20
  fit <- strads_lasso(genotypes, trait, lambda_ratio = 0.5, options = list(threads = 1, maf = 0.05))
  expect(identical(fitted(fit), predict(fit, genotypes)))
})

test("fitted values of data that are others by now are refused", {
  local({
    here <- x
    response <- y
    fit <- strads_path(here, response, nlambda = 10)
    here <- x[nrow(x):1, ]
    expect(grepl("not the data of the fit any more", conditionMessage(condition_of(fitted(fit), "strads_usage_error"))))
    here <- x
    response <- rev(y)
    condition_of(fitted(fit), "strads_usage_error")
    rm(here)
    expect(grepl("x of the fit, here, is not there", conditionMessage(condition_of(fitted(fit), "strads_usage_error"))))
  })
})

test("exact = TRUE solves at s, as glmnet's, and needs the data of the fit", {
  s <- c(20, 3, 0.7)
  theirs <- glmnet::glmnet(x, y, nlambda = 10, thresh = 1e-20, maxit = 1e7)
  ours <- strads_path(x, y, nlambda = 10, thresh = 1e-12)
  near(coef(ours, s = s, exact = TRUE, x = x, y = y), coef(theirs, s = s, exact = TRUE, x = x, y = y))
  near(predict(ours, x, s = s, exact = TRUE, x = x, y = y), predict(theirs, x, s = s, exact = TRUE, x = x, y = y))
  expect(max(abs(coef(ours, s = s) - coef(theirs, s = s, exact = TRUE, x = x, y = y))) > 1e-2)
  expect(identical(coef(ours, s = ours$lambda[4], exact = TRUE), coef(ours, s = ours$lambda[4])))
  expect(identical(predict(ours, s = s, exact = TRUE, x = x, y = y, type = "nonzero")[[2]],
                   unname(which(coef(ours, s = 3, exact = TRUE, x = x, y = y)[-1, 1] != 0))))
  one <- strads_lasso(x, y, lambda = 10, thresh = 1e-12)
  near(coef(one, s = 3, exact = TRUE, x = x, y = y), coef(theirs, s = 3, exact = TRUE, x = x, y = y))
  offset <- cos(seq_along(y))
  theirs <- glmnet::glmnet(x, classes, family = "binomial", offset = offset, weights = weights, alpha = 0.5,
                           standardize = FALSE, thresh = 1e-20, maxit = 1e7)
  ours <- suppressMessages(strads_path(x, classes, family = "binomial", offset = offset, weights = weights, alpha = 0.5,
                                       standardize = FALSE, thresh = 1e-12))
  s <- theirs$lambda[1] * c(0.5, 0.03)
  near(suppressMessages(coef(ours, s = s, exact = TRUE, x = x, y = classes, offset = offset, weights = weights)),
       coef(theirs, s = s, exact = TRUE, x = x, y = classes, offset = offset, weights = weights))
  refused <- function(sentence, what) {
    found <- conditionMessage(condition_of(what, "strads_usage_error"))
    expect(grepl(sentence, found, fixed = TRUE), found)
  }
  refused("found x, expected also y, weights, offset", coef(ours, s = s, exact = TRUE, x = x))
  refused("exact = TRUE: found gamma", coef(ours, s = s, exact = TRUE, x = x, y = classes, gamma = 1))
  cv <- strads_cv(x, y, nfolds = 3, nlambda = 10)
  near(coef(cv, s = 3, exact = TRUE, x = x, y = y), coef(cv$glmnet.fit, s = 3, exact = TRUE, x = x, y = y), 1e-12)
  refused("are not the data of the fit", coef(cv, s = 3, exact = TRUE, x = x, y = y / 2))
  refused("are not the data of the fit", coef(cv, s = 3, exact = TRUE, x = x[442:1, ], y = y))
})

test("exact = TRUE of genotypes finds variants that the path had not", {
  trait <- utils::read.delim(file.path(dirname(genotypes), "pheno.tsv"))$sim20
  path <- strads_path(genotypes, trait, nlambda = 4, lambda.min.ratio = 0.4)
  s <- path$lambda[4] * 0.8
  own <- strads_path(genotypes, trait, lambda = s)
  expect(max(abs(predict(path, genotypes, s = s, exact = TRUE, x = genotypes, y = trait) - predict(own, genotypes))) < 1e-12)
})

test("index is cv.glmnet's matrix, and measures have its names", {
  folds <- rep(1:5, length.out = length(y))
  lambda <- exp(seq(3.5, -2, length.out = 25))
  for (measure in c("mse", "mae")) {
    ours <- strads_cv(x, y, lambda = lambda, foldid = folds, type.measure = measure)
    theirs <- glmnet::cv.glmnet(x, y, lambda = lambda, foldid = folds, type.measure = measure)
    expect(identical(ours$index, theirs$index), c(ours$index, theirs$index))
    expect(identical(names(ours$name), names(theirs$name)) && ours$name[[1]] %in% theirs$name[[1]], c(ours$name, theirs$name))
  }
  for (measure in c("deviance", "class", "auc")) {
    ours <- suppressMessages(strads_cv(x, classes, family = "binomial", foldid = folds, type.measure = measure))
    theirs <- glmnet::cv.glmnet(x, classes, family = "binomial", foldid = folds, type.measure = measure)
    expect(identical(ours$name, theirs$name), c(names(ours$name), ours$name, names(theirs$name), theirs$name))
  }
  expect(identical(strads_cv(x, y, lambda = lambda, foldid = folds, type.measure = "deviance")$cvm,
                   strads_cv(x, y, lambda = lambda, foldid = folds)$cvm))
})

test("a grid ends where glmnet's does, by rows and columns, and a choice at its end is said", {
  for (shape in list(c(60, 20), c(40, 40), c(30, 50))) {
    square <- matrix(sin(seq_len(prod(shape))^1.3), shape[1])
    response <- cos(seq_len(shape[1])^1.7)
    theirs <- glmnet::glmnet(square, response, nlambda = 30)
    ours <- strads_path(square, response, nlambda = 30)
    both <- seq_len(min(length(ours$lambda), length(theirs$lambda)))
    near(ours$lambda[both], theirs$lambda[both], 1e-9)
  }
  notes <- character()
  cv <- withCallingHandlers(strads_cv(x, y, nfolds = 3, lambda = c(40, 20, 10)), message = function(m) {
    notes <<- c(notes, conditionMessage(m))
    invokeRestart("muffleMessage")
  })
  said <- "lambda.min is the last lambda that was solved, and a smaller one may be better: give smaller ones, too"
  expect(any(grepl(said, notes)), notes)
  expect(any(grepl("a smaller one may be better", cv$glmnet.fit$notes)))
  largest <- condition_of(strads_cv(x[, 1:2], sin(seq_along(y) * 7), nfolds = 3, lambda = c(1, 1e-3)), "message")
  expect(grepl("lambda.min is the largest lambda that was given, 1", conditionMessage(largest)), conditionMessage(largest))
  noisy <- cbind(x, matrix(sin(seq_len(442 * 200)^1.5), 442))
  cv <- strads_cv(noisy, y, nfolds = 3, lambda = c(40, 5, 0.1))
  expect(cv$index["min", ] == 2 && length(cv$glmnet.fit$notes) == 0, cv$glmnet.fit$notes)
})

test("prints and numbers on top of pictures are those of the solutions", {
  path <- strads_path(x, y)
  shown <- utils::capture.output(print(path))
  expect(any(grepl("Df +%Dev +Lambda +Gap", shown)) && length(shown) == 4 + length(path$lambda), shown[1:6])
  shown <- utils::capture.output(print(do.call(strads_lasso, list(x, y, lambda = 1))))
  expect(any(grepl("x = `<matrix>`", shown, fixed = TRUE)) && length(shown) < 12, shown)
  theirs <- glmnet::glmnet(x, y)
  grDevices::pdf(NULL)
  for (xvar in c("norm", "lambda", "dev")) {
    place <- function(fit) {
      switch(xvar, norm = colSums(abs(as.matrix(fit$beta))), lambda = log(fit$lambda), dev = fit$dev.ratio)
    }
    ours <- strads:::df_at(place(path), path$df, pretty(place(path)))
    # glmnet's plotCoef().
    right <- stats::approx(place(theirs), theirs$df, pretty(place(theirs)), rule = 2, method = "constant",
                           f = if (xvar == "lambda") 0 else 1)$y
    expect(identical(as.double(ours), as.double(right)), c(xvar, ours, right))
    plot(path, xvar = xvar, label = TRUE)
  }
  grDevices::dev.off()
})

# The package generics has tidy() and glance(), which broom passes on. Where it is not installed, a package of this name
# with these two generics stands for it: what is tested is that our methods are found.
test("broom's tidy and glance find our methods, with broom's columns", {
  library_of <- tempfile("library")
  dir.create(library_of)
  if (!requireNamespace("generics", quietly = TRUE)) {
    source_of <- file.path(tempfile("source"), "generics")
    dir.create(file.path(source_of, "R"), recursive = TRUE)
    writeLines(c("Package: generics", "Version: 0.1.3", "Title: Generics", "Description: Generics.", "License: MIT"),
               file.path(source_of, "DESCRIPTION"))
    writeLines("export(tidy, glance)", file.path(source_of, "NAMESPACE"))
    writeLines(c("tidy <- function(x, ...) UseMethod(\"tidy\")", "glance <- function(x, ...) UseMethod(\"glance\")"),
               file.path(source_of, "R", "generics.R"))
    utils::install.packages(source_of, library_of, repos = NULL, type = "source", quiet = TRUE)
    loadNamespace("generics", lib.loc = library_of)
  }
  path <- strads_path(x, y, nlambda = 10)
  table <- generics::tidy(path)
  expect(identical(names(table)[1:5], c("term", "step", "estimate", "lambda", "dev.ratio")), names(table))
  last <- table[table$step == 10, ]
  expect(identical(stats::setNames(last$estimate, last$term), coef(path)[coef(path)[, 10] != 0, 10]))
  expect(identical(unique(table$lambda), path$lambda) && all(table$estimate != 0))
  expect(nrow(generics::tidy(path, return_zeros = TRUE)) == 110)
  facts <- generics::glance(path)
  expect(nrow(facts) == 1 && facts$nobs == 442 && facts$nulldev == path$nulldev && facts$converged &&
           facts$relative.gap == max(path$relative.gap))
  cv <- strads_cv(x, y, nlambda = 10, nfolds = 3)
  table <- generics::tidy(cv)
  expect(identical(names(table), c("lambda", "estimate", "std.error", "conf.low", "conf.high", "nzero")), names(table))
  expect(identical(table$estimate, cv$cvm))
  facts <- generics::glance(cv)
  expect(identical(unlist(facts, use.names = FALSE), c(cv$lambda.min, cv$lambda.1se, 442)), facts)
})

# glmnet's own functions on both, each with its own object.
assessments <- function(fit, cv, newx, newy, ...) {
  binomial <- family(fit) == "binomial"
  values <- list(glmnet::assess.glmnet(fit, newx = newx, newy = newy, ...),
                 glmnet::assess.glmnet(cv, newx = newx, newy = newy, s = "lambda.min", ...),
                 glmnet::assess.glmnet(cv$fit.preval, newy = newy, family = family(fit)))
  if (!binomial) return(as.double(unlist(values)))
  tables <- list(glmnet::confusion.glmnet(fit, newx = newx, newy = newy, ...), glmnet::confusion.glmnet(cv, newx = newx, newy = newy, ...),
                 glmnet::confusion.glmnet(cv$fit.preval, newy = newy, family = "binomial"))
  curves <- list(glmnet::roc.glmnet(fit, newx = newx, newy = newy, ...), glmnet::roc.glmnet(cv, newx = newx, newy = newy, ...),
                 glmnet::roc.glmnet(cv$fit.preval, newy = newy))
  as.double(unlist(list(values, tables, curves)))
}

test("predictions of the folds, and glmnet's assess, roc and confusion, are those of glmnet's objects", {
  folds <- rep(1:5, length.out = length(y))
  for (family in c("gaussian", "binomial")) for (with_offset in c(FALSE, TRUE)) {
    response <- if (family == "gaussian") y else classes
    offset <- if (with_offset) 0.3 * sin(seq_along(y))
    theirs <- glmnet::cv.glmnet(x, response, family = family, lambda = c(0.2, 0.1, 0.05), foldid = folds, offset = offset, keep = TRUE,
                                thresh = 1e-20, maxit = 1e7)
    ours <- strads_cv(x, response, family = family, lambda = c(0.2, 0.1, 0.05), foldid = folds, offset = offset, keep = TRUE, thresh = 1e-12)
    near(ours$fit.preval, theirs$fit.preval)
    expect(identical(attributes(ours$fit.preval), attributes(theirs$fit.preval)))
    more <- if (with_offset) list(newoffset = offset)
    # Of both: classes change sides at no other row.
    near(do.call(assessments, c(list(ours$glmnet.fit, ours, x, response), more)),
         do.call(assessments, c(list(theirs$glmnet.fit, theirs, x, response), more)))
  }
  one <- strads_lasso(x, classes, family = "binomial", lambda = 0.05)
  expect(is.numeric(glmnet::assess.glmnet(one, newx = x, newy = classes)$auc))
})

test("predictions of the folds have what covariates add, and no row that takes no part", {
  folds <- rep(1:3, length.out = length(y))
  response <- y
  response[5] <- NA
  cv <- suppressMessages(strads_cv(x[, -1], response, lambda = c(3, 1), foldid = folds, covariates = x[, 1, drop = FALSE], keep = TRUE))
  expect(identical(which(is.na(cv$fit.preval[, 1])), 5L))
  near(cv$cvm, colMeans((response - cv$fit.preval)^2, na.rm = TRUE), 1e-12)
  sparse <- suppressMessages(strads_cv(as(x[, -1], "CsparseMatrix"), response, lambda = c(3, 1), foldid = folds,
                                       covariates = x[, 1, drop = FALSE], keep = TRUE))
  near(sparse$fit.preval[-5, ], cv$fit.preval[-5, ], 1e-4)
  expect(is.null(strads_cv(x, y, nfolds = 3, nlambda = 3)$fit.preval))
})

test("keep refuses what it cannot predict", {
  holes <- x
  holes[2, 3] <- NA
  for (what in list(quote(strads_cv(holes, y, keep = TRUE, options = list(missing = "mean"))),
                    quote(strads_cv(genotypes, rep(1:2, 50), keep = TRUE)), quote(strads_cv(x, y, keep = "yes")))) {
    expect(grepl("^keep: ", conditionMessage(condition_of(eval(what), "strads_usage_error"))), deparse(what))
  }
})
