# Coefficients of the package are those of the command line, to the last bit; so are paths and cross-validations.
source("support.R")
diabetes <- read_dataset("diabetes")
pheno <- file.path(datasets, "1000g-chr2-eur", "pheno.tsv")
trait <- utils::read.delim(pheno)$sim20
genotype_files <- c("--bfile", sub("\\.bed$", "", genotypes), "--pheno", pheno, "--pheno-name", "sim20")

write_column <- function(values, name) {
  path <- tempfile(fileext = ".csv")
  utils::write.table(stats::setNames(data.frame(values), name), path, row.names = FALSE, quote = FALSE)
  path
}

same_fit <- function(fit, folder) {
  expect(fit$beta.hash == hashes_of(folder)[1], c(fit$beta.hash, hashes_of(folder)))
  expect(identical(as.double(coef(fit)[-1, 1]), coefficients_of(folder, fit$dim[1])))
}

test("a fit of a matrix has the command's coefficients", {
  same_fit(strads_lasso(diabetes$x, diabetes$y, lambda_ratio = 0.1),
           run_lasso("fit", diabetes$files, "--lambda-ratio", "0.1"))
})

test("arguments are the command's options", {
  weights <- rep(c(1, 2, 0.5), length.out = nrow(diabetes$x))
  factors <- c(1, 2, 1, 1, 1, 1, 1, 3, 1, Inf)
  path <- tempfile(fileext = ".tsv")
  rescaled <- sprintf("%.17g", ifelse(is.infinite(factors), Inf, factors * 10 / sum(replace(factors, 10, 1))))
  writeLines(paste(colnames(diabetes$x), sub("inf", "Inf", tolower(rescaled)), sep = "\t"), path)
  fit <- strads_lasso(diabetes$x, diabetes$y, lambda = 3, alpha = 0.7, weights = weights, penalty.factor = factors,
                      lower.limits = 0, thresh = 1e-9, options = list(seed = 7, workers = 4, max_rounds = 1000))
  same_fit(fit, run_lasso("fit", diabetes$files, "--lambda", "3", "--lambda-scale", "y", "--l1-ratio", "0.7",
                          "--weights", write_column(weights, "w"), "--penalty-factors", path, "--nonnegative",
                          "--tolerance", "1e-9", "--seed", "7", "--workers", "4", "--max-rounds", "1000"))
  expect(fit$lambda == 3)
})

test("columns that are not scaled are those of --scale off", {
  same_fit(strads_lasso(diabetes$x, diabetes$y, lambda = 0.5, standardize = FALSE),
           run_lasso("fit", diabetes$files, "--lambda", "0.5", "--lambda-scale", "sample", "--scale", "off",
                     "--scale-y", "off"))
})

test("a sparse matrix has the bits of its Matrix Market file", {
  x <- Matrix::sparseMatrix(i = rep(1:60, 5), j = rep(1:100, 3), x = seq_len(300) / 7, dims = c(60, 100))
  y <- sin(1:60)
  file <- tempfile(fileext = ".mtx")
  lines <- paste(x@i + 1, rep(1:100, diff(x@p)), sprintf("%.17g", x@x))
  writeLines(c("%%MatrixMarket matrix coordinate real general", paste(60, 100, length(x@x)), lines), file)
  same_fit(strads_lasso(x, y, lambda_ratio = 0.2),
           run_lasso("fit", "--x", file, "--y", write_column(sprintf("%.17g", y), "y"), "--lambda-ratio", "0.2"))
})

test("genotypes by their path have the command's bits, with their trait from a file or from memory", {
  folder <- run_lasso("fit", genotype_files, "--lambda-ratio", "0.5")
  by_file <- strads_lasso(genotypes, lambda_ratio = 0.5, options = list(pheno = pheno, pheno_name = "sim20"))
  same_fit(by_file, folder)
  same_fit(strads_lasso(genotypes, trait, lambda_ratio = 0.5), folder)
  chosen <- coef(by_file)[coef(by_file)[, 1] != 0, ]
  table <- utils::read.delim(file.path(folder, "coefficients.tsv"))
  expect(identical(names(chosen)[-1], table$id))
})

test("covariates and offsets of a matrix in memory are --covar and --offset, also in predictions", {
  ids <- utils::read.delim(pheno)[, 1:2]
  table_of <- function(columns) {
    path <- tempfile(fileext = ".tsv")
    utils::write.table(cbind(ids, columns), path, sep = "\t", row.names = FALSE, quote = FALSE)
    path
  }
  covariates <- data.frame(age = 20 + seq_along(trait) %% 50, half = round(sin(seq_along(trait)), 3))
  offset <- round(cos(seq_along(trait)), 3)
  covar <- table_of(covariates)
  folder <- run_lasso("fit", genotype_files, "--lambda-ratio", "0.5", "--covar", covar)
  fit <- suppressMessages(strads_lasso(genotypes, trait, lambda_ratio = 0.5, covariates = covariates))
  expect(fit$beta.hash == hashes_of(folder)[1], c(fit$beta.hash, hashes_of(folder)))
  by_file <- suppressMessages(strads_lasso(genotypes, trait, lambda_ratio = 0.5, options = list(covar = covar)))
  expect(identical(coef(fit), coef(by_file)))
  expect(identical(predict(fit, genotypes, newcovariates = covariates),
                   predict(fit, genotypes, options = list(covar = covar))))

  classes <- as.integer(trait > 0)
  folder <- run_lasso("fit", genotype_files[1:2], "--pheno", table_of(data.frame(case = classes)), "--family", "binomial",
                      "--lambda-ratio", "0.5", "--offset", table_of(data.frame(offset)))
  fit <- suppressMessages(strads_lasso(genotypes, classes, lambda_ratio = 0.5, family = "binomial", offset = offset))
  expect(fit$beta.hash == hashes_of(folder)[1], c(fit$beta.hash, hashes_of(folder)))
  numbers <- strads_lasso(genotypes, trait, lambda_ratio = 0.5, offset = offset)
  for (fitted in list(fit, numbers)) {
    expect(max(abs(predict(fitted, genotypes, newoffset = offset) - predict(fitted, genotypes, newoffset = 0 * offset) -
                     offset)) < 1e-12)
  }
})

test("a path of two classes and its hash are the command's", {
  y <- as.integer(diabetes$y > 140)
  folder <- run_lasso("path", "--x", diabetes$files[2], "--y", write_column(y, "y"), "--family", "binomial",
                      "--lambdas", "15", "--lambda-min-ratio", "0.05")
  fit <- suppressMessages(strads_path(diabetes$x, y, family = "binomial", nlambda = 15, lambda.min.ratio = 0.05))
  expect(fit$path.hash %in% hashes_of(folder), c(fit$path.hash, hashes_of(folder)))
  expect(identical(strads_path(diabetes$x, factor(y), family = "binomial", nlambda = 15,
                               lambda.min.ratio = 0.05)$beta, fit$beta))
})

test("a cross-validation deals the command's folds and chooses its lambdas", {
  folder <- run_lasso("cv", diabetes$files, "--folds", "5", "--lambdas", "20")
  cv <- strads_cv(diabetes$x, diabetes$y, nfolds = 5, nlambda = 20)
  expect(cv$glmnet.fit$path.hash %in% hashes_of(folder), c(cv$glmnet.fit$path.hash, hashes_of(folder)))
  table <- utils::read.delim(file.path(folder, "cv.tsv"))
  expect(identical(cv$cvm, table$mean) && identical(cv$cvsd, table$standard_error), names(table))
})

test("predictions of genotypes are those of lasso predict", {
  folder <- run_lasso("fit", genotype_files, "--lambda-ratio", "0.5")
  fit <- strads_lasso(genotypes, trait, lambda_ratio = 0.5)
  out <- tempfile()
  system2(file.path(programs, "lasso"),
          c("predict", "--quiet", "--model", folder, "--bfile", genotype_files[2], "--out", out))
  expect(identical(as.double(predict(fit, genotypes)), utils::read.delim(out)$prediction))
  expect(identical(rownames(predict(fit, genotypes)), strads_samples(genotypes)$IID))
})

test("an exported score is the file of lasso export", {
  folder <- run_lasso("path", genotype_files, "--lambdas", "5")
  path <- strads_path(genotypes, trait, nlambda = 5)
  file <- tempfile()
  for (format in list(c("pgs", "genome-build", "GRCh37"), "plink2", "csv")) {
    options <- c(list(export = format[1]), if (length(format) > 1) stats::setNames(list(format[3]), format[2]))
    strads_export(path, file, s = path$lambda[4], options = options)
    theirs <- tempfile()
    system2(file.path(programs, "lasso"), c("export", "--quiet", "--model", folder, "--lambda-index", 4, "--out", theirs,
                                            paste0("--", names(options), "=", unlist(options))))
    # A response in memory is called y.
    expect(identical(gsub("STRADS_y|=y$", "", readLines(file)), gsub("STRADS_sim20|=sim20$", "", readLines(theirs))), format)
  }
  packed <- strads_export(path, paste0(file, ".gz"), s = path$lambda[4])
  expect(any(startsWith(readLines(packed), "rsID")) && readBin(packed, "raw", 1) == as.raw(0x1f))
})

test("ten calls have the same bits, whatever the number of threads", {
  hashes <- vapply(1:10, function(k) {
    strads_lasso(diabetes$x, diabetes$y, lambda_ratio = 0.01, options = list(threads = 1 + k %% 2))$beta.hash
  }, "")
  expect(length(unique(hashes)) == 1)
})
