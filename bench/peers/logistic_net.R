# Coefficients of an elastic net of two classes by glmnet and strads at several thresholds, for logistic_net.py:
#   R_LIBS=build/release/r/library Rscript bench/peers/logistic_net.R tests/datasets/leukemia FOLDER
arguments <- commandArgs(TRUE)
x <- as.matrix(read.csv(gzfile(file.path(arguments[1], "X.csv.gz")), check.names = FALSE))
y <- as.integer(read.csv(file.path(arguments[1], "y.csv"))[[1]] > 0)
write <- function(name, values) writeBin(as.double(as.matrix(values)), file.path(arguments[2], paste0(name, ".bin")))
first <- glmnet::glmnet(x, y, family = "binomial", alpha = 0.5)$lambda[1]
lambda <- first * c(1, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.03)
write("x", x)
write("y", y)
write("lambda", lambda)
for (thresh in c(1e-7, 1e-10, 1e-14, 1e-20)) {
  write(paste0("glmnet_", thresh),
        coef(glmnet::glmnet(x, y, family = "binomial", alpha = 0.5, lambda = lambda, thresh = thresh, maxit = 1e8)))
}
for (thresh in c(1e-6, 1e-9, 1e-12)) {
  write(paste0("strads_", thresh), coef(strads::strads_path(x, y, family = "binomial", alpha = 0.5, lambda = lambda, thresh = thresh)))
}
