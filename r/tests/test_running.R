# Messages, errors, interrupts, objects: how the package behaves as a part of R.
source("support.R")
diabetes <- read_dataset("diabetes")

big <- function(rows = 400, columns = 4000) {
  set.seed(1)
  x <- matrix(rnorm(rows * columns), rows)
  list(x = x, y = rowSums(x[, 1:40]) + 3 * rnorm(rows))
}

# What `what` does when another process sends SIGINT to this one, as Ctrl-C does, once the run has started its threads.
interrupted_by_signal <- function(what) {
  threads <- sprintf("$(ls /proc/%d/task | wc -l)", Sys.getpid())
  script <- sprintf("until [ %s -gt %d ]; do sleep 0.005; done; kill -INT %d", threads,
                    length(list.files(sprintf("/proc/%d/task", Sys.getpid()))), Sys.getpid())
  system2("sh", c("-c", shQuote(script)), wait = FALSE)
  what
}

test("an interrupt ends a path in order, and its condition has what was certified", {
  d <- big()
  condition <- interrupted_by_signal(tryCatch({
    strads_path(d$x, d$y, nlambda = 1000, lambda.min.ratio = 1e-4, thresh = 1e-12,
                options = list(early_end = FALSE, threads = 2))
    NULL
  }, interrupt = function(i) i))
  expect(inherits(condition, "strads_interrupt"), class(condition))
  fit <- condition$fit
  expect(fit$stop.reason == "signal", fit$stop.reason)
  expect(length(fit$lambda) < 1000, length(fit$lambda))
  expect(all(fit$converged))
  expect(all(dim(coef(fit)) == c(4001, length(fit$lambda))))
  expect(length(strads_path(diabetes$x, diabetes$y, nlambda = 5)$lambda) == 5)
})

test("a callback hears of certificates, ends a path in order, and its errors are the caller's", {
  heard <- list()
  full <- strads_path(diabetes$x, diabetes$y, nlambda = 10, callback = function(state) {
    heard[[length(heard) + 1]] <<- state
    NULL
  })
  certificates <- Filter(function(state) state$event == "certificate", heard)
  expect(length(certificates) >= 10 && all(diff(vapply(heard, `[[`, 0, "rounds")) >= 0), length(certificates))
  # The optimum at the path's end is that of its last lambda.
  last <- certificates[[length(certificates)]]
  expect(last$relative.gap <= 1e-6 && last$nonzeros == full$df[10], c(last$relative.gap, last$nonzeros, full$df))
  ended <- suppressWarnings(strads_path(diabetes$x, diabetes$y, nlambda = 10, callback = function(state) {
    state$nonzeros >= 3
  }))
  expect(ended$stop.reason == "signal" && length(ended$lambda) < 10 && all(ended$converged), length(ended$lambda))
  expect(identical(ended$beta.hash, full$beta.hash[seq_along(ended$lambda)]))
  mine <- tryCatch(strads_path(diabetes$x, diabetes$y, callback = function(state) stop("mine")), error = conditionMessage)
  expect(mine == "mine", mine)
  by_hand <- condition_of(strads_path(diabetes$x, diabetes$y, callback = function(state) {
    if (state$nonzeros >= 3) tools::pskill(Sys.getpid(), 2L)
    Sys.time()
    FALSE
  }), "interrupt")
  expect(inherits(by_hand, "strads_interrupt"))
})

test("errors are conditions with the command's text", {
  wrong <- condition_of(strads_path(diabetes$x, diabetes$y, options = list(rhoo = 1)), "strads_usage_error")
  expect(grepl("unknown option rhoo; did you mean options$rho?", conditionMessage(wrong), fixed = TRUE))
  condition_of(strads_lasso(diabetes$x, diabetes$y, options = list(out = "folder")), "strads_usage_error")
  x <- diabetes$x
  x[3, 2] <- NA
  missing <- condition_of(strads_lasso(x, diabetes$y), "strads_input_error")
  expect(grepl("row 3, column 2", conditionMessage(missing)), conditionMessage(missing))
  expect(strads_lasso(x, diabetes$y, options = list(missing = "mean"))$converged)
  condition_of(strads_lasso("nowhere.bed"), "strads_input_error")
})

test("arguments that do not fit are refused before anything runs", {
  refused <- function(sentence, what) {
    found <- tryCatch({
      what
      ""
    }, error = conditionMessage)
    expect(grepl(sentence, found, fixed = TRUE), found)
  }
  refused("y: found 441 values, expected one for each row of x: 442", strads_lasso(diabetes$x, diabetes$y[-1]))
  refused("weights: found 3 values", strads_lasso(diabetes$x, diabetes$y, weights = 1:3))
  refused("penalty.factor: found 2 values, expected one for each column", strads_lasso(diabetes$x, diabetes$y,
                                                                                    penalty.factor = 1:2))
  refused("x: found data.frame", strads_lasso(as.data.frame(diabetes$x), diabetes$y))
  refused("x: found 'X.csv'", strads_lasso("X.csv", diabetes$y))
  refused("lower.limits: found -1, expected -Inf, or 0", strads_lasso(diabetes$x, diabetes$y, lower.limits = -1))
  refused("two classes say family", strads_lasso(diabetes$x, factor(diabetes$y > 140)))
  refused("found 3 classes", strads_lasso(diabetes$x, factor(seq_along(diabetes$y) %% 3), family = "binomial"))
  refused("newx: its columns are matched by name, and there is no age among",
          predict(strads_lasso(diabetes$x, diabetes$y), diabetes$x[, -1]))
  refused("newx: found 9 columns, expected a matrix of 10 columns",
          predict(strads_lasso(unname(diabetes$x), diabetes$y), diabetes$x[, -1]))
  refused("this is a fit at lambda", predict(strads_lasso(diabetes$x, diabetes$y), diabetes$x, s = 1))
  refused("options = list(export = \"csv\") takes any model", strads_export(strads_lasso(diabetes$x, diabetes$y), tempfile()))
  refused("options$out: expected one of options$export", strads_export(strads_lasso(diabetes$x, diabetes$y), tempfile(),
                                                           options = list(out = "file")))
  refused("s: found 5 lambdas", strads_export(strads_path(diabetes$x, diabetes$y, nlambda = 5), tempfile()))
  refused("alpha: found 1 twice", strads_cv(diabetes$x, diabetes$y, alpha = c(1, 0.5, 1)))
  refused("offset: found 3 values", strads_lasso(diabetes$x, diabetes$y, offset = 1:3))
  refused("covariates: found 3 values, expected one for each row", strads_lasso(diabetes$x, diabetes$y, covariates = 1:3))
  refused("covariates: expected a matrix or data.frame of numbers",
          strads_lasso(diabetes$x, diabetes$y, covariates = data.frame(group = rep(c("a", "b"), 221))))
  refused("newcovariates: found other, expected the covariates of the fit: age",
          predict(strads_lasso(diabetes$x[, -1], diabetes$y, covariates = diabetes$x[, 1, drop = FALSE]),
                  diabetes$x[, -1], newcovariates = data.frame(other = diabetes$x[, 1])))
  refused("newoffset: found none, expected one for each row",
          predict(strads_lasso(diabetes$x, diabetes$y, offset = diabetes$y / 2), diabetes$x))
  refused("callback: found \"print\", expected a function", strads_lasso(diabetes$x, diabetes$y, callback = "print"))
  refused("options: found a list of length 1, expected a list with names",
          strads_lasso(diabetes$x, diabetes$y, options = list(3)))
})

test("notes are messages, and nothing is printed", {
  y <- diabetes$y
  y[5] <- NA
  notes <- character()
  printed <- capture.output(withCallingHandlers(fit <- strads_lasso(diabetes$x, y), message = function(m) {
    notes <<- c(notes, conditionMessage(m))
    invokeRestart("muffleMessage")
  }))
  expect(length(printed) == 0, printed)
  expect(any(grepl("1 samples left out", notes)), notes)
  expect(fit$nobs == 441 && length(fit$notes) == length(notes))
})

test("random numbers and the locale of R are as before", {
  set.seed(3)
  before <- list(.Random.seed, Sys.getlocale())
  strads_cv(diabetes$x, diabetes$y, nlambda = 5, nfolds = 3)
  expect(identical(before, list(.Random.seed, Sys.getlocale())))
})

test("a limit gives a warning and what was found", {
  d <- big(100, 500)
  warned <- NULL
  fit <- withCallingHandlers(strads_lasso(d$x, d$y, lambda_ratio = 0.001, options = list(max_rounds = 1)),
                             warning = function(w) {
                               warned <<- conditionMessage(w)
                               invokeRestart("muffleWarning")
                             })
  expect(!fit$converged && grepl("1 of 1 solution misses thresh (options$max_rounds was reached): lambda", warned, fixed = TRUE),
         warned)
  expect(grepl("relative gap", warned) && any(grepl("1 of 1 miss thresh", capture.output(print(fit)))), warned)
})

test("a warning names the solutions that miss thresh, the worst first, and the others stay", {
  path <- strads_path(diabetes$x, diabetes$y, lambda = c(10, 1, 0.1, 0.01, 0.001))
  path$converged[3:5] <- FALSE
  path$relative.gap[3:5] <- c(2e-5, 3e-3, 4e-4)
  warned <- strads:::unmet_text(path, "no progress left in double precision", FALSE)
  expect(grepl(paste0("3 of 5 solutions miss thresh (no progress left in double precision): lambda 0.01 (relative gap 0.003), ",
                      "lambda 0.001 (relative gap 4e-04), lambda 0.1 (relative gap 2e-05); $relative.gap says"), warned,
               fixed = TRUE), warned)
  path$converged[] <- TRUE
  expect(grepl("ended before all that was asked for was solved (options$max_seconds was reached); the 5 solutions",
               strads:::unmet_text(path, "max_seconds", FALSE), fixed = TRUE))
})

test("integer, logical and raw matrices are the doubles that they stand for", {
  x <- matrix(rep(c(0L, 1L, 2L, 0L, 1L, 1L, 2L), length.out = 50 * 30)[order(sin(1:1500))], 50)
  y <- cos(1:50)
  doubles <- strads_lasso(x + 0, y)
  expect(identical(strads_lasso(x, y)$beta, doubles$beta))
  bytes <- x
  storage.mode(bytes) <- "raw"
  expect(max(abs(strads_lasso(bytes, y)$beta - doubles$beta)) < 1e-9)
  expect(identical(strads_lasso(x > 0, y)$beta, strads_lasso((x > 0) + 0, y)$beta))
  expect(max(abs(strads_lasso(Matrix::Matrix(x + 0, sparse = TRUE), y)$beta - doubles$beta)) < 1e-9)
})

test("a sparse matrix with stored zeros is the one without them, and a message says that it was copied", {
  whole <- Matrix::rsparsematrix(60, 40, 0.3)
  zeros <- whole
  zeros@x[c(3, 50)] <- 0
  y <- cos(1:60)
  said <- condition_of(strads_lasso(zeros, y), "message")
  expect(grepl("stores zeros", conditionMessage(said)))
  expect(identical(suppressMessages(strads_lasso(zeros, y))$beta, strads_lasso(Matrix::drop0(zeros), y)$beta))
})

test("x is not copied", {
  d <- big(500, 4000)
  # Bytes that the process has at most while it computes `what`, beyond those that it had.
  peak <- function(what) {
    gc()
    writeLines("5", "/proc/self/clear_refs")
    before <- status_kib("VmRSS")
    what
    1024 * (status_kib("VmHWM") - before)
  }
  status_kib <- function(name) {
    line <- grep(paste0("^", name, ":"), readLines("/proc/self/status"), value = TRUE)
    as.double(gsub("[^0-9]", "", line))
  }
  strads_lasso(diabetes$x, diabetes$y)
  grown <- peak(strads_lasso(d$x, d$y, lambda_ratio = 0.5))
  expect(grown < 0.5 * 8 * length(d$x), grown / (8 * length(d$x)))
  sparse <- Matrix::rsparsematrix(5000, 2000, 0.1)
  response <- sparse[, 1] + cos(1:5000)
  grown <- peak(strads_lasso(sparse, response, lambda_ratio = 0.5))
  expect(grown < 0.5 * 12 * length(sparse@x), grown / (12 * length(sparse@x)))
})

test("an object is saved, read and predicts in another session", {
  trait <- utils::read.delim(file.path(datasets, "1000g-chr2-eur", "pheno.tsv"))$sim20
  path <- strads_path(genotypes, trait, nlambda = 5)
  file <- tempfile()
  saveRDS(path, file)
  read <- readRDS(file)
  expect(identical(predict(read, genotypes, s = path$lambda[3:4]), predict(path, genotypes)[, 3:4],
                   attrib.as.set = TRUE) ||
           max(abs(predict(read, genotypes, s = path$lambda[3:4]) - predict(path, genotypes)[, 3:4])) == 0)
})

test("coefficients are a valid matrix", {
  path <- strads_path(diabetes$x, diabetes$y, nlambda = 5)
  expect(methods::validObject(path$beta) && identical(dim(path$beta), c(10L, 5L)))
  expect(identical(rownames(path$beta), colnames(diabetes$x)))
  unnamed <- strads_lasso(unname(diabetes$x), diabetes$y)
  expect(identical(rownames(unnamed$beta), paste0("V", 1:10)) && methods::validObject(unnamed$beta))
})

test("prints, pictures and other methods work on all objects", {
  grDevices::pdf(NULL)
  path <- strads_path(diabetes$x, diabetes$y, nlambda = 10)
  cv <- strads_cv(diabetes$x, diabetes$y, nlambda = 10, nfolds = 4)
  for (xvar in c("norm", "lambda", "dev")) plot(path, xvar = xvar)
  plot(path, label = TRUE)
  plot(cv)
  plot(cv, sign.lambda = -1)
  grDevices::dev.off()
  expect(any(grepl("Lambda", capture.output(print(path)))))
  expect(any(grepl("1se", capture.output(print(cv)))))
  expect(identical(predict(path, type = "nonzero")[[2]], unname(which(path$beta[, 2] != 0))))
  expect(identical(coef(cv, s = "lambda.min")[-1, 1], cv$glmnet.fit$beta[, cv$index["min", ]]))
  expect("lambda-ratio" %in% strads_options("fit")$name)
})

test("a lambda so small that it cannot be certified is a column with its gap and a warning, and the others stay", {
  warned <- NULL
  path <- withCallingHandlers(strads_path(diabetes$x, diabetes$y, lambda = c(10, 1, 1e-9, 1e-12)), warning = function(w) {
    warned <<- conditionMessage(w)
    invokeRestart("muffleWarning")
  })
  expect(length(path$lambda) == 4 && all(path$converged[1:2]), path$converged)
  expect(all(path$converged) || grepl("miss(es)? thresh", warned), warned)
  whole <- stats::coef(stats::lm(diabetes$y ~ diabetes$x))
  expect(max(abs(coef(path)[, 3] - whole)) < 1e-4 * max(abs(whole)))
})
