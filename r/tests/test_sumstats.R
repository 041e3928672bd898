# The Lasso on summary statistics: the bits of the program, certificates that R recomputes, matrices and files.
source("support.R")
made <- file.path(datasets, "made-study")
study <- file.path(made, "study.tsv.gz")
regions <- file.path(made, "blocks.bed")
people <- utils::read.table(sub("bed$", "fam", genotypes))[, 1:2]
list_of_people <- function(rows) {
  path <- tempfile(fileext = ".txt")
  utils::write.table(people[rows, ], path, quote = FALSE, row.names = FALSE, col.names = FALSE)
  path
}
keep <- list_of_people(301:400)
others <- list_of_people(401:503)
part <- list(keep = keep, chr = "2", to_bp = "30000000", threads = 1)

# Up to what reading digits may lose.
near <- function(ours, theirs) all(abs(as.double(ours) - theirs) <= 1e-12 * abs(theirs))

run_study <- function(...) {
  run_lasso("path", "--sumstats", study, "--bfile", sub("\\.bed$", "", genotypes), "--keep", keep, "--chr", "2", "--to-bp",
            "30000000", "--ld-blocks", regions, "--shrink", "0.5,1", "--lambdas", "4", "--threads", "1", ...)
}
fit_study <- function(...) {
  suppressMessages(strads_sumstats(genotypes, study, ld_blocks = regions, shrink = c(0.5, 1), nlambda = 4, options = part, ...))
}
folder <- run_study()
fit <- fit_study()

made_panel <- function() {
  set.seed(3)
  x <- matrix(stats::rbinom(60 * 30, 2, rep(stats::runif(30, 0.2, 0.5), each = 60)), 60) + 0
  list(x = x, r = ifelse(seq_len(30) %% 3 == 0, stats::runif(30, -0.4, 0.4), 0.01))
}
panel <- made_panel()

test("files have the bits of the program, and the solution that it chose", {
  expect(fit$model.hash %in% hashes_of(folder), c(fit$model.hash, hashes_of(folder)))
  # The hash says that the bits are the same; R reads digits to within a last place.
  expect(near(coef(fit), coefficients_of(folder, fit$dim[1])))
  table <- utils::read.delim(file.path(folder, "path.tsv"))
  chosen <- table[table$choice == "chosen", ]
  expect(fit$chosen$shrink == chosen$s && near(fit$chosen$lambda, chosen$lambda) && fit$chosen$df == chosen$nonzeros)
  expect(near(t(fit$gap), table$gap) && identical(as.double(t(fit$df)), as.double(table$nonzeros)))
  expect(fit$chosen$by == "pseudo-validation" && fit$converged && sum(fit$dropped) > 0)
})

test("predictions and the exported score are those of the program", {
  out <- tempfile()
  system2(file.path(programs, "lasso"), c("predict", "--quiet", "--model", folder, "--bfile", sub("\\.bed$", "", genotypes),
                                          "--keep", others, "--out", out))
  scores <- suppressMessages(predict(fit, genotypes, options = list(keep = others)))
  expect(identical(as.double(scores)[401:503], utils::read.delim(out)$prediction))
  file <- strads_export(fit, tempfile(), options = list(export = "plink2"))
  theirs <- tempfile()
  system2(file.path(programs, "lasso"), c("export", "--quiet", "--model", folder, "--export", "plink2", "--out", theirs))
  expect(identical(readLines(file), readLines(theirs)))
})

test("people choose as in the program, with their trait in memory", {
  trait <- utils::read.delim(file.path(dirname(genotypes), "pheno.tsv"))$sim20
  told <- character()
  by_people <- withCallingHandlers(
    strads_sumstats(genotypes, study, ld_blocks = regions, shrink = c(0.5, 1), nlambda = 4,
                    options = c(part, validate_keep = others), validation = list(genotypes, trait)),
    message = function(m) {
      told <<- c(told, conditionMessage(m))
      invokeRestart("muffleMessage")
    })
  expect(any(grepl("$dropped counts them", told, fixed = TRUE)) && !any(grepl("--", told)), told)
  theirs <- run_study("--validate-bfile", sub("\\.bed$", "", genotypes), "--validate-keep", others, "--pheno",
                      file.path(dirname(genotypes), "pheno.tsv"), "--pheno-name", "sim20")
  table <- utils::read.delim(file.path(theirs, "path.tsv"))
  chosen <- table[table$choice == "chosen", ]
  expect(by_people$chosen$by == "validation" && by_people$chosen$people == 103)
  expect(near(by_people$chosen$lambda, chosen$lambda) && near(by_people$chosen$measured, chosen$r2))
})

test("certificates of a matrix are those that R recomputes", {
  own <- strads_sumstats(panel$x, r = panel$r, n = 1000, shrink = c(0.2, 1), nlambda = 5, thresh = 1e-9)
  centred <- sweep(panel$x, 2, colMeans(panel$x))
  unit <- sweep(centred, 2, sqrt(colSums(centred^2)), "/")
  for (k in 1:10) {
    s <- own$shrink[(k - 1) %/% 5 + 1]
    lambda <- own$lambda[(k - 1) %% 5 + 1]
    b <- as.double(own$standardized[, k])
    h <- panel$r - (1 - s) * as.double(crossprod(unit, unit %*% b))
    objective <- (1 - s) / 2 * sum((unit %*% b)^2) - sum(panel$r * b) + s / 2 * sum(b^2) + lambda * sum(abs(b))
    gap <- sum(lambda * abs(b) - h * b + s / 2 * b^2 + pmax(abs(h) - lambda, 0)^2 / (2 * s))
    expect(abs(t(own$objective)[k] - objective) < 1e-12 && abs(t(own$gap)[k] - gap) < 1e-14, c(k, objective, gap))
    expect(gap <= 1e-9 * abs(objective) + 1e-18, c(k, gap))
  }
  expect(identical(coef(own), coef(own, shrink = own$chosen$shrink, lambda = own$chosen$lambda)))
  expect(max(abs(predict(own, panel$x) - panel$x %*% as.double(coef(own)))) < 1e-12)
  holes <- replace(panel$x, 5, NA)
  expect(max(abs(predict(own, holes)[-5] - predict(own, panel$x)[-5])) < 1e-12 && all(is.finite(predict(own, holes))))
})

test("blocks, effects and one n are as the program has them", {
  se <- 1 / sqrt(400 * apply(panel$x, 2, function(column) mean((column - mean(column))^2)))
  own <- strads_sumstats(panel$x, beta = panel$r * 20 * se, se = se, n = 400, blocks = rep(c("a", "b"), 15), nlambda = 3)
  expect(identical(own$variants$column, c(seq(1, 30, 2), seq(2, 30, 2)) + 0) && max(own$variants$block) == 2)
  expect(grepl("the study's units", own$weights))
  expect(identical(strads_sumstats(panel$x, beta = panel$r * 20 * se, se = se, n = rep(400, 30),
                                   blocks = rep(1:2, 15), nlambda = 3)$model.hash, own$model.hash))
  shown <- utils::capture.output(print(own))
  expect(any(grepl("Panel of 60 people, 30 of 30 variants in 2 blocks", shown)), shown)
  expect(any(grepl("^Chosen: shrink .* by pseudo-validation", shown)), shown)
})

test("what cannot be is refused in R's words", {
  # `se` would be a part of `sentence`.
  refused <- function(words, ...) {
    found <- conditionMessage(condition_of(strads_sumstats(...), "strads_error"))
    expect(grepl(words, found, fixed = TRUE), c("expected:", words, "found:", found))
  }
  x <- panel$x
  r <- panel$r
  refused("r has 29 numbers, expected 30", x, r = r[-1], n = 100)
  refused("se of variant 5 is -1, expected a standard error above 0", x, beta = r, se = replace(r + 1, 5, -1), n = 100)
  refused("n of variant 1 is unknown, expected the people of the study: give n", x, r = r)
  refused("variant 5: p is 0, expected one above 0", x, beta = r, p = replace(abs(r), 5, 0), n = 100)
  refused("shrink: found c(0, 1), expected numbers above 0, at most 1; without shrinkage", x, r = r, n = 100, shrink = c(0, 1))
  refused("lambda: found 0, expected numbers above 0", x, r = r, n = 100, lambda = 0)
  refused("n: found 2, expected more than 2 people", x, r = r, n = 2)
  refused("sumstats: files are matched with a panel that has names", x, study)
  refused("r: statistics are given by sumstats, too", genotypes, study, r = r)
  refused("blocks: found a matrix of 1 x 30, expected the LD block of each column", x, r = r, n = 100, blocks = t(r))
  refused("validation: found a numeric of length 30, expected list(x, y)", x, r = r, n = 100, validation = r)
  refused("validation$x: found 29 columns, expected those of the panel: 30", x, r = r, n = 100,
          validation = list(x[, -1], r[c(1:30, 1:30)]))
  refused("unknown option shrunk", x, r = r, n = 100, options = list(shrunk = 1))
  own <- strads_sumstats(x, r = r, n = 1000, nlambda = 3)
  found <- conditionMessage(condition_of(coef(own, shrink = 1), "strads_error"))
  expect(grepl("shrink, lambda: found one of the two", found), found)
  expect("shrink" %in% strads_options("sumstats")$name)
})
