# What a family is: its canonical link, the mean of a link, and the deviance of each value.

families <- list(
  gaussian = list(link = "identity", mean = function(link) link, deviance = function(y, link) (y - link)^2),
  binomial = list(link = "logit", mean = function(link) stats::plogis(link),
                  deviance = function(y, link) 2 * (log1p(exp(-abs(link))) + pmax(link, 0) - y * link)),
  poisson = list(link = "log", mean = function(link) exp(link),
                 deviance = function(y, link) 2 * (ifelse(y > 0, y * (log(y) - link), 0) - y + exp(link))))

# By name, or as R's own family object; the link is the canonical one.
family_of <- function(family) {
  if (is.function(family)) family <- tryCatch(family(), error = function(e) family)
  if (inherits(family, "family")) {
    canonical <- families[[family$family]]$link
    if (is.null(canonical) || family$link != canonical) {
      links <- vapply(names(families), function(name) paste(name, "with link", families[[name]]$link), "")
      refuse("family: found ", family$family, " with link ", family$link, ", expected ", listed(links))
    }
    family <- family$family
  }
  one_of(family, names(families), "family")
}

# The log-likelihood of counts each of which has itself for its mean: what their deviance is measured from.
saturated_counts <- function(y, weights) sum(weights * (ifelse(y > 0, y * log(y), 0) - y - lgamma(y + 1)))
