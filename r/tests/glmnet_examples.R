# The examples of glmnet's help pages, as the installed package has them, with our functions in place of glmnet() and
# cv.glmnet() and nothing else changed: `Rscript glmnet_examples.R [PAGE ...]` prints what became of each call.
# Without pages: all of them, and whether docs/R.md lists what is left (STRADS_REWRITE=1 writes it there). The end of
# cv.glmnet's page, 100,000 x 100, is only run where `--large` comes first.
# Every expression runs twice, with glmnet and with ours, in the same order, each from the same random numbers.
#
# Two things make both comparable. Ours is given a thresh of 1e-11 and glmnet one of 1e-18. cv.glmnet deals folds with R's
# random numbers and gives each fold a grid of its own: both get the folds that cv.glmnet would have dealt, and glmnet's
# lambdas.

# Why a call is left to glmnet: another family, or a function that is not about fits. These do not count.
other_families <- "family *= *\"(cox|mgaussian|multinomial|poisson)\""

# What is not ours and why, by the message that says so. What follows from it (an object that is not there) counts as well.
reasons <- c(
  `unused arguments? \\(relax` = "relaxed fits (`relax`, `gamma`, `path`) are not there",
  `unused arguments? \\(parallel` = "`parallel`: threads are an option, `options = list(threads = 4)`",
  `found binomial with link` = "other links than the canonical ones are not there",
  `found gamma` = "relaxed fits (`relax`, `gamma`, `path`) are not there")

pages_of_glmnet <- function() {
  pages <- tools::Rd_db("glmnet")
  texts <- lapply(pages, function(page) {
    file <- tempfile()
    on.exit(unlink(file))
    tools::Rd2ex(page, file, commentDontrun = FALSE, commentDonttest = FALSE)
    if (!file.exists(file)) return(NULL)
    lines <- readLines(file)
    lines[seq(grep("^### \\*\\* Examples", lines), length(lines))]
  })
  names(texts) <- sub("\\.Rd$", "", names(pages))
  texts <- Filter(Negate(is.null), texts)
  # Only pages that fit something.
  texts[vapply(texts, function(lines) any(grepl("\\b(cv\\.)?glmnet\\(", lines)), NA)]
}

# One page with one of both: what each expression gave, as list(value =) or list(error =).
run_page <- function(expressions, fit, cv, seed) {
  here <- new.env()
  here$data <- function(name) utils::data(list = deparse(substitute(name)), package = "glmnet", envir = here)
  here$glmnet <- fit
  here$cv.glmnet <- cv
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  utils::capture.output(values <- lapply(seq_along(expressions), function(k) {
    # Anew for each, since what fails with one and not with the other may draw numbers.
    set.seed(seed + k)
    tryCatch(list(value = suppressWarnings(suppressMessages(eval(expressions[[k]], here)))),
             error = function(e) list(error = conditionMessage(e)))
  }))
  values
}

# cv.glmnet's folds and lambdas for both.
with_folds <- function(cv, fit) {
  function(x, y, nfolds = 10, foldid = sample(rep(seq_len(nfolds), length.out = length(y))), lambda = NULL, ...,
           type.measure = "default", relax, keep, parallel) {
    more <- c(if (!missing(relax)) list(relax = relax), if (!missing(keep)) list(keep = keep),
              if (!missing(parallel)) list(parallel = parallel))
    if (is.null(lambda)) lambda <- glmnet::glmnet(x, y, ...)$lambda
    force(foldid)
    do.call(cv, c(list(x, y, lambda = lambda, foldid = foldid, type.measure = type.measure, ...), more))
  }
}

theirs_of <- list(fit = function(...) glmnet::glmnet(..., thresh = 1e-18, maxit = 1e7),
                  cv = with_folds(function(...) glmnet::cv.glmnet(..., thresh = 1e-18, maxit = 1e7)))
ours_of <- list(fit = function(...) strads_path(..., thresh = 1e-11),
                cv = with_folds(function(...) strads_cv(..., thresh = 1e-11)))

# What a user reads of a value, as numbers or words; NULL for what has neither (plots, times).
read_of <- function(value) {
  if (inherits(value, "proc_time")) return(NULL)
  if (inherits(value, c("cv.glmnet", "strads_cv"))) {
    # Not nzero: at the first of the lambdas glmnet may have a coefficient of 1e-17.
    return(as.double(unlist(value[c("lambda", "cvm", "cvsd", "lambda.min", "lambda.1se", "index")])))
  }
  if (inherits(value, c("glmnet", "strads"))) {
    return(c(value$lambda, value$dev.ratio, value$nulldev, value$nobs, value$df, as.double(as.matrix(coef(value)))))
  }
  if (is.numeric(value) || inherits(value, "Matrix")) return(as.double(as.matrix(value)))
  if (is.character(value)) return(c(value))
  # What type = "nonzero" gives.
  if (is.list(value) && length(value) > 0 && all(vapply(value, is.numeric, NA) | lengths(value) == 0)) {
    return(as.double(unlist(value)))
  }
}

# "same", how far they are apart, or why ours failed. What a print method returns is no result.
outcome_of <- function(ours, theirs, call) {
  if (!is.null(theirs$error)) return("fails with glmnet, too")
  if (!is.null(ours$error)) return(ours$error)
  if (startsWith(call, "print(")) return("runs")
  a <- read_of(ours$value)
  b <- read_of(theirs$value)
  if (is.null(b)) return("runs")
  if (length(a) != length(b)) return(paste("found", length(a), "values, glmnet has", length(b)))
  if (is.character(b)) return(if (identical(a, b)) "same" else "other words")
  distance <- if (length(b) == 0) 0 else max(abs(a - b)) / max(1, abs(b))
  if (isTRUE(distance < 1e-6)) "same" else paste("differs by", signif(distance, 2))
}

# A row for each expression that fits with glmnet() or cv.glmnet(), or that uses what such a call made.
compare_page <- function(page, lines, large = FALSE, seed = 1) {
  begin <- grep("require(doMC)", lines, fixed = TRUE)
  if (!large && length(begin) > 0) lines <- lines[seq_len(begin[1] - 1)]
  expressions <- as.list(parse(text = lines, keep.source = FALSE))
  texts <- vapply(expressions, function(one) paste(deparse(one), collapse = " "), "")
  # Of other families, with what uses their results: up to the next page nobody asks for them.
  foreign <- made_by_others(expressions, texts)
  expressions <- expressions[!foreign]
  texts <- texts[!foreign]
  theirs <- run_page(expressions, theirs_of$fit, theirs_of$cv, seed)
  ours <- run_page(expressions, ours_of$fit, ours_of$cv, seed)
  fits <- about_fits(expressions, texts)
  outcome <- vapply(which(fits), function(k) outcome_of(ours[[k]], theirs[[k]], texts[k]), "")
  table <- data.frame(page = rep(page, sum(fits)), call = texts[fits], outcome = outcome)
  table$reason <- reasons_of(table, expressions[fits])
  table
}

names_made <- function(one) if (is.call(one) && deparse(one[[1]])[1] %in% c("=", "<-")) all.vars(one[[2]]) else character()

# Expressions that fit other families, or that use an object that such a fit made.
made_by_others <- function(expressions, texts) {
  names <- character()
  vapply(seq_along(expressions), function(k) {
    made <- names_made(expressions[[k]])
    is_foreign <- grepl(other_families, texts[k]) || any(all.vars(expressions[[k]]) %in% setdiff(names, made))
    names <<- if (is_foreign) union(names, made) else setdiff(names, made)
    is_foreign
  }, NA)
}

about_fits <- function(expressions, texts) {
  names <- character()
  vapply(seq_along(expressions), function(k) {
    made <- names_made(expressions[[k]])
    is_fit <- grepl("\\b(cv\\.)?glmnet\\(", texts[k]) || any(all.vars(expressions[[k]]) %in% names)
    if (is_fit) names <<- union(names, made)
    is_fit
  }, NA)
}

# Of each that is not the same: why, or NA. What uses an object that is not there has the reason of that object.
reasons_of <- function(table, expressions) {
  by_object <- character()
  vapply(seq_len(nrow(table)), function(k) {
    outcome <- table$outcome[k]
    known <- names(reasons)[vapply(names(reasons), grepl, NA, outcome)]
    lost <- sub(".*object '([^']*)' not found.*", "\\1", outcome)
    reason <- if (outcome %in% c("same", "runs", "fails with glmnet, too")) ""
              else if (length(known) > 0) reasons[[known[1]]]
              else if (lost %in% names(by_object)) by_object[[lost]]
              else NA_character_
    if (is.na(reason) || reason != "") by_object[names_made(expressions[[k]])] <<- reason
    reason
  }, "")
}

compare_pages <- function(names = NULL, large = FALSE) {
  pages <- pages_of_glmnet()
  if (!is.null(names)) pages <- pages[names]
  do.call(rbind, lapply(names(pages), function(name) compare_page(name, pages[[name]], large)))
}

is_well <- function(table) table$outcome %in% c("same", "runs", "fails with glmnet, too")

shortened <- function(call) gsub("  +", " ", gsub("|", "\\|", call, fixed = TRUE))

# The table of docs/R.md: what is left, by reason.
left_over <- function(table) {
  left <- table[!is_well(table), ]
  rows <- vapply(unique(left$reason), function(reason) {
    of <- left[left$reason %in% reason, ]
    calls <- vapply(unique(of$page), function(page) {
      paste0(page, ": ", paste0("`", shortened(of$call[of$page == page]), "`", collapse = ", "))
    }, "")
    paste0("| ", reason, " | ", nrow(of), " | ", paste(calls, collapse = "; "), " |")
  }, "")
  c("| reason | calls | which |", "| --- | --- | --- |", sort(unname(rows), method = "radix"))
}

# Whether the document has this table; STRADS_REWRITE=1 puts it there. REQUIRES: this folder is the working one.
is_listed <- function(table, path = "../../docs/R.md") {
  document <- readLines(path)
  wanted <- left_over(table)
  begin <- grep("<!-- glmnet's examples: what is left -->", document, fixed = TRUE)
  after <- document[-seq_len(begin)]
  rows <- seq_len(which(!startsWith(after, "|"))[1] - 1)
  if (identical(after[rows], wanted)) return(TRUE)
  if (!nzchar(Sys.getenv("STRADS_REWRITE"))) return(FALSE)
  writeLines(c(document[seq_len(begin)], wanted, after[-rows]), path)
  TRUE
}

if (sys.nframe() == 0) {
  suppressPackageStartupMessages(library(strads))
  suppressPackageStartupMessages(library(glmnet))
  arguments <- commandArgs(trailingOnly = TRUE)
  large <- "--large" %in% arguments
  names <- setdiff(arguments, "--large")
  table <- compare_pages(if (length(names) > 0) names, large)
  for (page in unique(table$page)) {
    of <- table[table$page == page, ]
    cat(sprintf("%-18s %2d calls: %2d the same, %2d run without a value, %d not\n", page, nrow(of), sum(of$outcome == "same"),
                sum(of$outcome %in% c("runs", "fails with glmnet, too")), sum(!is_well(of))))
  }
  left <- table[!is_well(table), ]
  for (k in seq_len(nrow(left))) {
    cat(sprintf("%s: %s\n    %s\n    reason: %s\n", left$page[k], left$call[k], left$outcome[k], left$reason[k]))
  }
  if (anyNA(table$reason)) quit(status = 1)
  if (length(names) == 0 && !large && !is_listed(table)) {
    cat("docs/R.md lists something else; STRADS_REWRITE=1 writes it\n")
    quit(status = 1)
  }
}
