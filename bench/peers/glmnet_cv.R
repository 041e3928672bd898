# cv.glmnet on a PLINK set, with the folds and lambdas of a run of ours:  Rscript glmnet_cv.R PREFIX RUN [THRESH]
# RUN is the folder of `lasso cv --bfile PREFIX ... --out RUN`: folds.tsv and cv.tsv are read. Prints seconds, lambda.min
# and lambda.1se over lambda_max, and by how much the two curves differ. Needs r-cran-glmnet.
suppressMessages(library(glmnet))
arguments <- commandArgs(TRUE)
prefix <- arguments[1]; run <- arguments[2]
thresh <- if (length(arguments) > 2) as.numeric(arguments[3]) else 1e-7
start <- proc.time()[["elapsed"]]
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(FALSE), value = TRUE)))
source(file.path(here, "read_plink.R")); plink <- read_plink(prefix)
loaded <- proc.time()[["elapsed"]]
folds <- read.delim(file.path(run, "folds.tsv")); ours <- read.delim(file.path(run, "cv.tsv"))
# Columns have unit 2-norm: glmnet standardises them anew in every fold, as ours does.
lambda <- ours$lambda_y
cv <- cv.glmnet(plink$x, plink$y, foldid = folds$fold, lambda = lambda, thresh = thresh, standardize = TRUE)
solved <- proc.time()[["elapsed"]]
n <- min(length(cv$cvm), nrow(ours))
peak <- as.numeric(sub("[^0-9]*([0-9]+).*", "\\1", grep("VmHWM", readLines("/proc/self/status"), value = TRUE))) / 1024
cat(sprintf('{"peer": "cv.glmnet", "thresh": %g, "seconds_load": %.3f, "seconds_solve": %.3f, "lambdas": %d, "min": %.6g, "1se": %.6g, "curve_differs": %.3g, "peak_mb": %.0f}\n',
            thresh, loaded - start, solved - loaded, length(cv$lambda), cv$lambda.min / max(lambda), cv$lambda.1se / max(lambda),
            max(abs(cv$cvm[1:n] / ours$mean[1:n] - 1)), peak))
