# What cannot be meant is refused, by the argument's name and with what is possible; texts speak R's words.
source("support.R")
diabetes <- read_dataset("diabetes")
x <- diabetes$x
y <- diabetes$y
classes <- factor(ifelse(y > 140, "high", "low"))

refused <- function(sentence, what) {
  found <- tryCatch({
    what
    "nothing"
  }, strads_error = conditionMessage)
  expect(grepl(sentence, found, fixed = TRUE), c("expected:", sentence, "found:", found))
}

test("a misspelt choice is refused with the choices, and NULL is none", {
  fit <- suppressMessages(strads_path(x, classes, family = "binomial", nlambda = 5))
  cv <- strads_cv(x, y, nfolds = 3, nlambda = 10)
  refused("family: found \"cox\", expected \"gaussian\", \"binomial\" or \"poisson\"", strads_lasso(x, y, family = "cox"))
  refused("family: found NULL", strads_path(x, y, family = NULL))
  refused("expected gaussian with link identity, binomial with link logit or poisson with link log",
          strads_path(x, classes, family = stats::binomial(link = "probit")))
  refused("found poisson with link sqrt", strads_path(x, y, family = stats::poisson(link = "sqrt")))
  refused("type.measure: found \"max\", expected \"default\", \"mse\"", strads_cv(x, y, type.measure = "max"))
  refused("type.measure: found NULL", strads_cv(x, y, type.measure = NULL))
  refused("type.measure: found \"auc\", expected \"mse\", \"mae\" or \"deviance\"", strads_cv(x, y, type.measure = "auc"))
  refused("type: found \"nonsense\", expected \"link\", \"response\"", predict(fit, x, type = "nonsense"))
  refused("type: found NULL", predict(fit, x, type = NULL))
  refused("type: found c(\"link\", \"class\")", predict(fit, x, type = c("link", "class")))
  for (s in list("1SE", "max", NULL, NA, TRUE, c("lambda.min", "lambda.1se"), list(1))) {
    refused("s: found", predict(cv, x, s = s))
    refused("s: found", coef(cv, s = s))
  }
  refused("expected \"lambda.1se\", \"lambda.min\" or lambdas", coef(cv, s = "1SE"))
  for (s in list("lambda.min", NA_real_, -1, numeric(0))) refused("s: found", coef(fit, s = s))
  refused("xvar: found \"gap\", expected \"norm\", \"lambda\" or \"dev\"", plot(fit, xvar = "gap"))
  refused("command: found \"lasso\"", strads_options("lasso"))
})

test("a part of a choice, R's family objects and the right words are taken", {
  fit <- suppressMessages(strads_path(x, classes, family = "bin", nlambda = 5))
  expect(identical(suppressMessages(strads_path(x, classes, family = stats::binomial(), nlambda = 5))$beta, fit$beta))
  expect(identical(suppressMessages(strads_path(x, classes, family = stats::binomial, nlambda = 5))$beta, fit$beta))
  expect(identical(strads_path(x, y, family = stats::poisson(), nlambda = 5)$beta, strads_path(x, y, family = "pois", nlambda = 5)$beta))
  expect(identical(predict(fit, x, type = "resp"), predict(fit, x, type = "response")))
  cv <- strads_cv(x, y, nfolds = 3, nlambda = 10)
  expect(identical(coef(cv), coef(cv, s = "lambda.1se")) && !identical(coef(cv), coef(cv, s = "lambda.min")))
})

test("a flag is TRUE or FALSE", {
  for (wrong in list("yes", NA, 1, NULL, c(TRUE, FALSE), logical(0))) {
    refused("intercept: found", strads_lasso(x, y, intercept = wrong))
    refused("standardize: found", strads_path(x, y, standardize = wrong))
    refused("exact: found", coef(strads_path(x, y, nlambda = 3), s = 1, exact = wrong))
  }
  refused("intercept: found \"yes\", expected TRUE or FALSE", strads_cv(x, y, intercept = "yes"))
  refused("label: found \"all\", expected TRUE or FALSE", plot(strads_path(x, y, nlambda = 5), label = "all"))
})

test("an empty grid, and numbers that are none, are refused", {
  for (wrong in list(numeric(0), "1", NA_real_, Inf, -1, 0, TRUE, list(1), NaN)) {
    for (fit in list(strads_lasso, strads_path, strads_cv)) refused("lambda: found", fit(x, y, lambda = wrong))
  }
  refused("lambda: found no value (numeric of length 0), expected numbers above 0", strads_path(x, y, lambda = numeric(0)))
  for (fit in list(strads_path, strads_cv)) {
    refused("lambda: found 0 in place 2, expected numbers above 0; leave it out: for no penalty at all take lm() or glm()",
            fit(x, y, lambda = c(1, 0)))
  }
  refused("lambda: found 0, expected one number above 0; strads_path() takes several; for no penalty at all take lm() or glm()",
          strads_lasso(x, y, lambda = 0))
  refused("strads_path() takes several", strads_lasso(x, y, lambda = c(1, 2)))
  refused("found both, expected one of them", strads_lasso(x, y, lambda = 1, lambda_ratio = 0.1))
  for (wrong in list(0, -1, 2.5, NA, "10", NULL, c(5, 6), numeric(0), Inf)) {
    refused("nlambda: found", strads_path(x, y, nlambda = wrong))
    refused("nfolds: found", strads_cv(x, y, nfolds = wrong))
  }
  refused("nfolds: found 1, expected a whole number of at least 2", strads_cv(x, y, nfolds = 1))
  refused("nfolds = 443: expected 2 to 442", strads_cv(x, y, nfolds = 443))
  for (wrong in list(0, 1, -1, NA, "small", c(0.1, 0.2))) {
    refused("lambda.min.ratio: found", strads_path(x, y, lambda.min.ratio = wrong))
    refused("lambda.min.ratio: found", strads_cv(x, y, lambda.min.ratio = wrong))
  }
  refused("expected a number above 0 and below 1, or NULL: 1e-4", strads_path(x, y, lambda.min.ratio = 0))
  for (wrong in list(-0.1, 1.1, NA, "ridge", NULL)) refused("alpha: found", strads_lasso(x, y, alpha = wrong))
  for (wrong in list(0, -1, 1, NA, "tight")) refused("thresh: found", strads_lasso(x, y, thresh = wrong))
  for (wrong in list(0, -1, NA, "half")) refused("lambda_ratio: found", strads_lasso(x, y, lambda_ratio = wrong))
  refused("lower.limits: found \"0\"", strads_lasso(x, y, lower.limits = "0"))
})

test("what goes beside x is numbers of the right size", {
  rows <- nrow(x)
  refused("weights: found a character of length 442, expected finite numbers of at least 0",
          strads_lasso(x, y, weights = rep("1", rows)))
  refused("weights: found -1 in row 2", strads_lasso(x, y, weights = c(1, -1, rep(1, rows - 2))))
  refused("weights: found Inf in row 1", strads_lasso(x, y, weights = c(Inf, rep(1, rows - 1))))
  refused("offset: found a factor", strads_lasso(x, y, offset = factor(y)))
  refused("y: found Inf in row 7", strads_lasso(x, replace(y, 7, Inf)))
  refused("y: found two columns with the name y", strads_lasso(x, cbind(y, y)))
  refused("y: found a matrix of 442 x 2, expected a vector of two classes", strads_lasso(x, cbind(y > 9, y < 9), family = "binomial"))
  refused("y: found 1 class (high), expected two", strads_lasso(x, rep("high", rows), family = "binomial"))
  refused("penalty.factor: found a numeric of length 10, expected numbers of at least 0",
          strads_lasso(x, y, penalty.factor = c(-1, rep(1, 9))))
  refused("penalty.factor: found a character", strads_lasso(x, y, penalty.factor = as.character(1:10)))
  refused("penalty.factor: found only 0", strads_lasso(x, y, penalty.factor = rep(0, 10)))
  refused("foldid: found 3 values", strads_cv(x, y, foldid = 1:3))
  refused("foldid: all rows are in one fold", strads_cv(x, y, foldid = rep(1, rows)))
  refused("foldid: found NA", strads_cv(x, y, foldid = c(NA, rep(1:2, length.out = rows - 1))))
  refused("covariates: found no columns", strads_lasso(x, y, covariates = x[, 0]))
  refused("covariates: found two columns with the name age", strads_lasso(x, y, covariates = x[, c("age", "age")]))
  refused("found 442 rows and 0 columns", strads_lasso(x[, 0], y))
  refused("x: found a matrix of 442 x 10", strads_lasso(matrix(as.character(x), rows), y))
  refused("as.matrix() makes one", strads_lasso(as.data.frame(x), y))
  refused("callback: found \"print\"", strads_path(x, y, callback = "print"))
})

test("rows in another order than those of x are refused where both have names", {
  named <- x
  rownames(named) <- paste0("person", seq_len(nrow(x)))
  other <- rev(rownames(named))
  refused("y: its names are the row names of x in another order (row 1: person442, of x person1)",
          strads_lasso(named, stats::setNames(y, other)))
  beside <- data.frame(half = y / 2, row.names = other)
  refused("covariates: its names are the row names of x in another order", strads_lasso(named, y, covariates = beside))
  refused("weights: its names", strads_lasso(named, y, weights = stats::setNames(y, other)))
  fit <- strads_lasso(named, stats::setNames(y, rownames(named)), lambda = 3)
  expect(identical(fit$beta.hash, strads_lasso(x, y, lambda = 3)$beta.hash))
})

test("other options are values by name, each once", {
  refused("options: found 3, expected a list with names", strads_lasso(x, y, options = 3))
  refused("options: found max-rounds twice", strads_lasso(x, y, options = list(max_rounds = 1, `max-rounds` = 2)))
  refused("options$seed: found NA", strads_lasso(x, y, options = list(seed = NA)))
  refused("options$seed: found no value", strads_lasso(x, y, options = list(seed = integer(0))))
  refused("options$threads: found '-1', expected a whole number in [0, 4096]", strads_lasso(x, y, options = list(threads = -1)))
  refused("unknown option rhoo; did you mean options$rho?", strads_lasso(x, y, options = list(rhoo = 1)))
})

test("an argument that nobody takes is refused, whatever generic it is given to", {
  fit <- strads_path(x, y, nlambda = 5)
  refused("predict: found lambda", predict(fit, x, lambda = 1))
  refused("coef: found S", coef(fit, S = 1))
  refused("coef: found an argument too many", coef(fit, 1, FALSE, 2))
  refused("predict: found gamma", predict(strads_cv(x, y, nfolds = 3, nlambda = 5), x, gamma = 1))
  refused("deviance: found lambda", deviance(fit, lambda = 1))
  refused("options: they say which data", predict(fit, x, options = list(keep = "people.txt")))
})

test("new data are matched by name, and a number that is none is an error that says where", {
  fit <- strads_path(x, y, nlambda = 10)
  expect(identical(predict(fit, x[, 10:1]), predict(fit, x)))
  expect(identical(predict(fit, cbind(x, more = 1)), predict(fit, x)))
  expect(identical(unname(predict(fit, unname(x))), unname(predict(fit, x))))
  expect(identical(predict(fit, x[5, ]), predict(fit, x[5, , drop = FALSE])))
  refused("newx: its columns are matched by name, and there is no bmi",
          predict(fit, `colnames<-`(x, sub("bmi", "BMI", colnames(x)))))
  for (wrong in c(NA, NaN, Inf)) {
    changed <- x
    changed[3, 2] <- wrong
    refused(paste0("newx: found ", wrong, " in row 3, column 2 (sex), expected finite numbers"), predict(fit, changed))
    sparse <- Matrix::Matrix(changed, sparse = TRUE)
    refused(" in row 3, column 2", predict(fit, sparse))
    cases <- suppressMessages(strads_path(x, classes, family = "binomial", nlambda = 5))
    refused("newx: found", predict(cases, changed, type = "class"))
  }
  refused("newx: found a list of length 10, expected a matrix of 10 columns", predict(fit, as.list(1:10)))
  refused("newx: found a matrix of 1 x 10, expected a matrix of 10 columns", predict(fit, matrix("a", 1, 10)))
})

# A fit that never saw a value there can say nothing of it; one with missing = "mean" has means, those of lasso predict.
test("with missing = \"mean\" new missing values are the means of the fit", {
  holes <- x
  holes[cbind(c(3, 9), c(2, 4))] <- NA
  fit <- strads_lasso(holes, y, lambda = 1, options = list(missing = "mean"))
  filled <- x
  filled[3, 2] <- mean(holes[, 2], na.rm = TRUE)
  filled[9, 4] <- mean(holes[, 4], na.rm = TRUE)
  expect(max(abs(predict(fit, holes) - predict(fit, filled))) < 1e-9)
})

test("names of columns that are numbers are names", {
  numbered <- x
  colnames(numbered) <- seq_len(ncol(x))
  for (fit in list(strads_lasso(numbered, y, lambda = 1), strads_path(numbered, y, nlambda = 4))) {
    right <- predict(fit, numbered)
    expect(identical(predict(fit, numbered[, ncol(x):1]), right))
    expect(identical(predict(fit, unname(numbered)), right))
    refused("newx: its columns are matched by name, and there is no 1", predict(fit, x))
    refused("newx: its columns are matched by name, and there is no 3", predict(fit, numbered[, -3]))
    twice <- numbered[, c(2, 1, 3:ncol(x))]
    colnames(twice)[3] <- "1"
    refused("newx: ", predict(fit, twice))
  }
})

# Copies of A1: people x variants, named.
write_bed <- function(prefix, copies) {
  codes <- matrix(c(3, 2, 0)[copies + 1], nrow(copies))
  bytes <- apply(codes, 2, function(one) colSums(matrix(one, 4) * 4^(0:3)))
  writeBin(as.raw(c(0x6c, 0x1b, 0x01, bytes)), paste0(prefix, ".bed"))
  utils::write.table(cbind(1, colnames(copies), 0, seq_len(ncol(copies)), "A", "G"), paste0(prefix, ".bim"), quote = FALSE,
                     row.names = FALSE, col.names = FALSE)
  people <- paste0("p", seq_len(nrow(copies)))
  utils::write.table(cbind(people, people, 0, 0, 0, -9), paste0(prefix, ".fam"), quote = FALSE, row.names = FALSE,
                     col.names = FALSE)
  paste0(prefix, ".bed")
}

test("variants that are absent from newx are said once", {
  copies <- matrix(c(0, 1, 2, 1, 0, 2, 1, 0, 2, 2, 1, 0, 0, 1, 0, 2), 8, dimnames = list(NULL, c("rs1", "rs2")))
  whole <- write_bed(tempfile(), copies)
  fit <- strads_path(whole, as.double(copies %*% c(1, 2)), lambda = c(0.5, 0.1, 0.01), standardize = FALSE)
  said <- character()
  hear <- function(m) {
    said <<- c(said, conditionMessage(m))
    invokeRestart("muffleMessage")
  }
  right <- withCallingHandlers(predict(fit, whole), message = hear)
  expect(length(said) == 0, said)
  other <- withCallingHandlers(predict(fit, write_bed(tempfile(), copies[, "rs2", drop = FALSE])), message = hear)
  expect(identical(said, "strads: 1 of the model's 2 variables are absent: training mean used\n"), said)
  expect(max(abs(other - (right - (copies[, 1] - mean(copies[, 1])) %o% as.matrix(fit$beta)[1, ]))) < 1e-9)
})

test("covariates are matched by name, as x is", {
  covariates <- data.frame(age = x[, "age"], half = sin(seq_along(y)))
  fit <- suppressMessages(strads_lasso(x[, -1], y, lambda = 3, covariates = covariates))
  right <- predict(fit, x[, -1], newcovariates = covariates)
  expect(identical(predict(fit, x[, -1], newcovariates = covariates[, 2:1]), right))
  expect(identical(predict(fit, x[, -1], newcovariates = as.matrix(cbind(covariates[, 2:1], more = 1))), right))
  warned <- condition_of(predict(fit, x[, -1], newcovariates = unname(as.matrix(covariates))), "warning")
  expect(grepl("no column names; taken in the order of the fit: age, half", conditionMessage(warned)))
  refused("newcovariates: found none, expected the covariates of the fit: age, half", predict(fit, x[, -1]))
  refused("newcovariates: found age, other, expected",
          predict(fit, x[, -1], newcovariates = stats::setNames(covariates, c("age", "other"))))
  refused("newcovariates: found NA in row 2 of half",
          predict(fit, x[, -1], newcovariates = data.frame(age = covariates$age, half = replace(covariates$half, 2, NA))))
  refused("newcovariates: the fit has no covariates", predict(strads_lasso(x, y), x, newcovariates = covariates))
  refused("newoffset: the fit has no offset", predict(strads_lasso(x, y), x, newoffset = y))
  with_offset <- strads_lasso(x, y, offset = y / 2)
  refused("newoffset: found NA in row 4", predict(with_offset, x, newoffset = replace(y / 2, 4, NA)))
})

test("texts of the command line are said in R's words", {
  said <- c(
    "--lambda-min-ratio: found '2', expected a number" = "lambda.min.ratio: found '2', expected a number",
    "the path ended early, --early-end off goes on" = "the path ended early, options = list(early_end = FALSE) goes on",
    "is an error of classes and goes with --family binomial; expected mse" =
      "is an error of classes and goes with family = \"binomial\"; expected mse",
    "--missing mean puts the column's mean there" = "options = list(missing = \"mean\") puts the column's mean there",
    "needs --center on and --center-y on: columns" = "needs intercept = TRUE: columns",
    "--l1-ratio 0, ridge" = "alpha = 0, ridge",
    "give --covar FILE; --covar-name needs it" = "give covariates; options$covar_name needs it",
    "rewrite with plink2 --pfile P --make-pgen --out Q, then --pfile Q" =
      "rewrite with plink2 --pfile P --make-pgen --out Q, then x",
    "unknown option --rhoo; did you mean --rho? (--help shows the options)" =
      "unknown option rhoo; did you mean options$rho? (strads_options() lists all)",
    "lasso fit starts anew, lasso predict takes it" = "strads_lasso() starts anew, predict() takes it",
    "no column with n, say --n PEOPLE, or --cases CASES --controls CONTROLS" =
      "no column with n, say n, or options$cases options$controls",
    "genome build; say --match id" = "genome build; say options = list(match = \"id\")",
    "of lasso path --sumstats FILE; no --ld-blocks: one block" = "of strads_sumstats(); no ld_blocks: one block",
    "3 low n (dropped.tsv lists them)" = "3 low n ($dropped counts them)",
    "3 samples left out: no response" = "3 samples left out: no response")
  for (text in names(said)) expect(identical(strads:::in_r(text), said[[text]]), c(text, strads:::in_r(text)))
  # Every option that a call takes, in a text that names it.
  for (command in c("fit", "path", "cv", "predict", "sumstats")) {
    texts <- paste0("--", strads_options(command)$name, ": expected another value than --", strads_options(command)$name, " off")
    expect(!any(grepl("--", strads:::in_r(texts))), grep("--", strads:::in_r(texts), value = TRUE))
  }
  wrong <- list(list(nfolds = 443), list(options = list(l1_ratio = 7)), list(options = list(lambda_scale = "z")),
                list(options = list(maf = 0.1)), list(covariates = x[, 1], intercept = FALSE),
                list(options = list(tolerance = -1)), list(options = list(threads = "many")))
  for (arguments in wrong) {
    found <- conditionMessage(condition_of(suppressMessages(do.call(strads_cv, c(list(x, y), arguments))), "strads_error"))
    expect(!grepl("--[a-z]|lasso (fit|path|cv)", found), found)
  }
})
