# What the tests of the R package share: small checks, the shipped data sets, and the commands to compare with.
suppressMessages(library(Matrix))
library(strads)

datasets <- normalizePath("../../tests/datasets")
genotypes <- file.path(datasets, "1000g-chr2-eur", "chr2-eur.bed")
programs <- Sys.getenv("STRADS_PROGRAMS")

# Runs `what`; the first failure of any test ends the script, with the sentence that is not true.
test <- function(sentence, what) {
  withCallingHandlers(what, error = function(e) message("not true: ", sentence, ": ", conditionMessage(e)))
  invisible()
}

expect <- function(condition, about = "") {
  if (!isTRUE(condition)) stop(deparse(substitute(condition))[1], " ", paste(about, collapse = " "), call. = FALSE)
}

# The condition of a class that `what` signals.
condition_of <- function(what, class) {
  found <- tryCatch({
    what
    NULL
  }, condition = function(c) c)
  if (!inherits(found, class)) stop("expected a condition of class ", class, ", found ", class(found)[1], call. = FALSE)
  found
}

read_dataset <- function(name) {
  folder <- file.path(datasets, name)
  x <- as.matrix(utils::read.csv(gzfile(file.path(folder, "X.csv.gz")), check.names = FALSE))
  storage.mode(x) <- "double"
  list(x = x, y = as.double(utils::read.csv(file.path(folder, "y.csv"))[[1]]), folder = folder,
       files = c("--x", file.path(folder, "X.csv.gz"), "--y", file.path(folder, "y.csv")))
}

# `lasso COMMAND` with its run directory.
run_lasso <- function(command, ...) {
  out <- tempfile("run")
  log <- system2(file.path(programs, "lasso"), c(command, "--quiet", "--out", out, ...), stdout = TRUE, stderr = TRUE)
  if (!is.null(attr(log, "status"))) stop(paste(log, collapse = "\n"))
  out
}

hashes_of <- function(folder) {
  text <- paste(readLines(file.path(folder, "summary.json")), collapse = "")
  regmatches(text, gregexpr('(?<=_hash": ")[0-9a-f]{16}', text, perl = TRUE))[[1]]
}

# coefficients.tsv as a dense vector, with the command's own bits.
coefficients_of <- function(folder, columns) {
  table <- utils::read.delim(file.path(folder, "coefficients.tsv"), colClasses = "character")
  out <- double(columns)
  out[as.integer(table$column)] <- as.double(table$coefficient)
  out
}
