# glmnet on a PLINK set:  Rscript glmnet_lasso.R PREFIX RATIO [THRESH] [single|path20]
# Reads PREFIX.bed/.bim/.fam and PREFIX.pheno.tsv (last column), standardises like `lasso fit` and fits at lambda_max x RATIO,
# alone or at the end of a path of 20 (what glmnet's authors recommend). Prints seconds and the objective. Needs r-cran-glmnet.
suppressMessages(library(glmnet))
arguments <- commandArgs(TRUE)
prefix <- arguments[1]; ratio <- as.numeric(arguments[2])
thresh <- if (length(arguments) > 2) as.numeric(arguments[3]) else 1e-9
mode <- if (length(arguments) > 3) arguments[4] else "path20"
start <- proc.time()[["elapsed"]]
samples <- length(readLines(paste0(prefix, ".fam"))); variables <- length(readLines(paste0(prefix, ".bim")))
stride <- (samples + 3) %/% 4
file <- file(paste0(prefix, ".bed"), "rb"); invisible(readBin(file, "raw", 3))
x <- matrix(0, samples, variables); dosage <- c(2, NA, 1, 0)
for (first in seq(1, variables, 20000)) {
  last <- min(variables, first + 19999)
  bytes <- as.integer(readBin(file, "raw", stride * (last - first + 1)))
  codes <- matrix(rbind(bytes %% 4, bytes %/% 4 %% 4, bytes %/% 16 %% 4, bytes %/% 64), 4 * stride)[1:samples, , drop = FALSE]
  piece <- matrix(dosage[codes + 1], samples)
  piece <- sweep(piece, 2, colMeans(piece, na.rm = TRUE)); piece[is.na(piece)] <- 0
  norms <- sqrt(colSums(piece^2)); norms[norms == 0] <- 1
  x[, first:last] <- sweep(piece, 2, norms, "/")
}
close(file)
pheno <- read.delim(paste0(prefix, ".pheno.tsv")); y <- pheno[[ncol(pheno)]]; y <- y - mean(y); y <- y / sqrt(sum(y^2))
loaded <- proc.time()[["elapsed"]]
# glmnet scales y by its standard deviation inside; on unit-norm y its lambda is ours / sqrt(N) there, ours / N here.
lambda_max <- max(abs(crossprod(x, y)))
lambda <- lambda_max * ratio
grid <- if (mode == "path20") exp(seq(log(lambda_max), log(lambda), length.out = 20)) else lambda
fit <- glmnet(x, y, lambda = grid / samples, standardize = FALSE, intercept = FALSE, thresh = thresh, maxit = 1e7)
solved <- proc.time()[["elapsed"]]
b <- as.numeric(fit$beta[, ncol(fit$beta)]); support <- which(b != 0)
residual <- y - x[, support, drop = FALSE] %*% b[support]
peak <- as.numeric(sub("[^0-9]*([0-9]+).*", "\\1", grep("VmHWM", readLines("/proc/self/status"), value = TRUE))) / 1024
cat(sprintf('{"peer": "glmnet %s", "thresh": %g, "ratio": %g, "seconds_load": %.3f, "seconds_solve": %.3f, "objective": %.12g, "nonzeros": %d, "peak_mb": %.0f}\n',
            mode, thresh, ratio, loaded - start, solved - loaded, 0.5 * sum(residual^2) + lambda * sum(abs(b)), length(support), peak))
