# glmnet on a PLINK set:  Rscript glmnet_lasso.R PREFIX RATIO [THRESH] [single|path20]
# Reads PREFIX.bed/.bim/.fam and PREFIX.pheno.tsv (last column), standardises like `lasso fit` and fits at lambda_max x RATIO,
# alone or at the end of a path of 20 (what glmnet's authors recommend). Prints seconds and the objective. Needs r-cran-glmnet.
suppressMessages(library(glmnet))
arguments <- commandArgs(TRUE)
prefix <- arguments[1]; ratio <- as.numeric(arguments[2])
thresh <- if (length(arguments) > 2) as.numeric(arguments[3]) else 1e-9
mode <- if (length(arguments) > 3) arguments[4] else "path20"
start <- proc.time()[["elapsed"]]
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(FALSE), value = TRUE)))
source(file.path(here, "read_plink.R")); plink <- read_plink(prefix)
x <- plink$x; samples <- nrow(x)
y <- plink$y - mean(plink$y); y <- y / sqrt(sum(y^2))
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
