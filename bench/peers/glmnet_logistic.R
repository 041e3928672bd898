# glmnet's logistic regression on a PLINK set:  Rscript glmnet_logistic.R PREFIX RATIO [THRESH] [single|path20]
# Reads PREFIX.bed/.bim/.fam and PREFIX.cases.tsv (last column, 0 and 1; bench/make_genotypes.py writes it), standardises
# like `lasso fit --family binomial` and fits at lambda_max x RATIO, alone or at the end of a path of 20 (what glmnet's
# authors recommend). Prints seconds of the clock and of the processor, and the objective, sum log(1 + exp) + lambda |b|_1.
# Needs r-cran-glmnet.
suppressMessages(library(glmnet))
arguments <- commandArgs(TRUE)
prefix <- arguments[1]; ratio <- as.numeric(arguments[2])
thresh <- if (length(arguments) > 2) as.numeric(arguments[3]) else 1e-7
mode <- if (length(arguments) > 3) arguments[4] else "path20"
start <- proc.time()[["elapsed"]]
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(FALSE), value = TRUE)))
source(file.path(here, "read_plink.R")); x <- read_plink(prefix)$x; samples <- nrow(x)
cases <- read.delim(paste0(prefix, ".cases.tsv")); y <- cases[[ncol(cases)]]
loaded <- proc.time()
lambda_max <- max(abs(crossprod(x, y - mean(y)))); lambda <- lambda_max * ratio
grid <- if (mode == "path20") exp(seq(log(lambda_max), log(lambda), length.out = 20)) else lambda
begun <- proc.time()
# glmnet's loss is the mean over the samples, so its lambda is ours / N.
fit <- glmnet(x, y, family = "binomial", lambda = grid / samples, standardize = FALSE, thresh = thresh, maxit = 1e7)
solved <- proc.time()
last <- ncol(fit$beta); b <- as.numeric(fit$beta[, last]); support <- which(b != 0)
link <- as.numeric(x[, support, drop = FALSE] %*% b[support]) + fit$a0[[last]]
objective <- sum(log1p(exp(-abs(link))) + pmax(link, 0) - y * link) + lambda * sum(abs(b))
peak <- as.numeric(sub("[^0-9]*([0-9]+).*", "\\1", grep("VmHWM", readLines("/proc/self/status"), value = TRUE))) / 1024
cat(sprintf('{"peer": "glmnet %s", "thresh": %g, "ratio": %g, "lambdas": %d, "lambda_max": %.12g, "seconds_load": %.3f, "seconds_solve": %.3f, "processor_seconds_solve": %.3f, "objective": %.15g, "nonzeros": %d, "peak_mb": %.0f}\n',
            mode, thresh, ratio, last, lambda_max, loaded[["elapsed"]] - start, (solved - begun)[["elapsed"]],
            sum((solved - begun)[c("user.self", "sys.self")]), objective, length(support), peak))
