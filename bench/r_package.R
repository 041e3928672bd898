# What the R package costs beside the command, and glmnet beside it. Usage: Rscript bench/r_package.R [BUILD]
# Needs R's package strads in R_LIBS (build/release/r/library) and glmnet. Processor seconds are medians of 5, alternating.
suppressMessages({
  library(Matrix)
  library(strads)
  library(glmnet)
})
build <- c(commandArgs(trailingOnly = TRUE), "build/release")[1]
data <- function(name) {
  folder <- file.path("tests/datasets", name)
  x <- as.matrix(read.csv(gzfile(file.path(folder, "X.csv.gz"))))
  storage.mode(x) <- "double"
  list(x = x, y = as.double(read.csv(file.path(folder, "y.csv"))[[1]]))
}
processor <- function(what) {
  before <- proc.time()
  force(what)
  used <- proc.time() - before
  sum(used[c("user.self", "sys.self")])
}
status_kib <- function(name) {
  line <- grep(paste0("^", name, ":"), readLines("/proc/self/status"), value = TRUE)
  as.double(gsub("[^0-9]", "", line))
}

one <- list(threads = 1)
set.seed(1)
large <- list(x = matrix(rnorm(500 * 20000), 500))
large$y <- rowSums(large$x[, 1:30]) + rnorm(500)
# Before all others: memory that an earlier fit gave back would hide what this one takes.
invisible(gc())
writeLines("5", "/proc/self/clear_refs")
before <- status_kib("VmRSS")
fit <- strads_lasso(large$x, large$y, lambda_ratio = 0.3, options = one)
cat(sprintf("memory: x %.1f MiB, peak during the fit %.1f MiB more than before\n", object.size(large$x) / 2^20,
            (status_kib("VmHWM") - before) / 2^10))
calls <- 20
profile <- tempfile()
Rprof(profile, interval = 0.002)
used <- processor(for (k in seq_len(calls)) strads_lasso(large$x, large$y, lambda_ratio = 0.3, options = one))
Rprof(NULL)
shares <- summaryRprof(profile)$by.total
compiled <- shares["\"run_command\"", "total.time"] / shares["\"strads_lasso\"", "total.time"]
cat(sprintf("strads_lasso, 500 x 20000 doubles, 0.3 lambda_max, 1 thread: %.1f ms of processor time a call, %.1f ms of it in R code\n",
            1e3 * used / calls, 1e3 * used / calls * (1 - compiled)))

leukemia <- data("leukemia")
for (tight in c(FALSE, TRUE)) {
  theirs_thresh <- if (tight) 1e-20 else 1e-7
  ours_thresh <- if (tight) 1e-12 else 1e-6
  theirs <- glmnet(leukemia$x, leukemia$y, thresh = theirs_thresh, maxit = 1e8)
  reference <- glmnet(leukemia$x, leukemia$y, lambda = theirs$lambda, thresh = 1e-22, maxit = 1e8)
  times <- vapply(1:5, function(k) {
    c(processor(glmnet(leukemia$x, leukemia$y, thresh = theirs_thresh, maxit = 1e8)),
      processor(ours <<- strads_path(leukemia$x, leukemia$y, lambda = theirs$lambda, thresh = ours_thresh, options = one)))
  }, double(2))
  scale <- max(abs(reference$beta))
  cat(sprintf("leukemia, path of %d lambdas, %s: glmnet %.3f s, strads %.3f s of processor time; from the optimum (glmnet at 1e-22), share of the largest coefficient: glmnet %.1e, strads %.1e\n",
              length(theirs$lambda), if (tight) "glmnet thresh 1e-20, ours 1e-12" else "defaults", median(times[1, ]),
              median(times[2, ]), max(abs(theirs$beta - reference$beta)) / scale,
              max(abs(ours$beta - reference$beta)) / scale))
}
