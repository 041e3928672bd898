# What the functions for people have in common: from arguments to options and data, from results to objects.

.onLoad <- function(libname, pkgname) {
  built <- .Call(strads_r_version)[1]
  wanted <- packageDescription(pkgname, lib.loc = libname, fields = "Version")
  if (built != wanted) {
    stop("strads.so is of STRADS ", built, ", this package of ", wanted, ": install both from the same source",
         call. = FALSE)
  }
  loaded$no_columns <- new("dgCMatrix")
}

# What is made once a session, of the classes that are there then.
loaded <- new.env()

# The compiled half has seen to what new() would check, which takes as long as a small fit.
dgCMatrix_of <- function(slots, shape, names) {
  out <- loaded$no_columns
  out@p <- slots$p
  out@i <- as.integer(slots$i)
  out@x <- as.double(slots$x)
  out@Dim <- as.integer(shape)
  out@Dimnames <- names
  out
}

# A value of R as the text of an option; numbers come back as they were.
option_text <- function(value) {
  text <- if (is.logical(value)) ifelse(value, "on", "off")
          else if (is.numeric(value)) format_exactly(value)
          else as.character(value)
  paste(text, collapse = ",")
}

format_exactly <- function(values) {
  vapply(as.double(values), function(value) {
    if (is.infinite(value)) return(if (value > 0) "inf" else "-inf")
    short <- format(value, digits = 15, scientific = NA, trim = TRUE, decimal.mark = ".")
    if (identical(as.double(short), value)) short else sprintf("%.17g", value)
  }, "")
}

# Options by name, of which those of `more` (the user's own) win. NULL: the command's default.
option_list <- function(own, more) {
  if (!is.list(more) || (length(more) > 0 && (is.null(names(more)) || any(names(more) == "")))) {
    expected("options", more, "a list with names, as list(max_rounds = 100)")
  }
  names(more) <- gsub("[._]", "-", names(more))
  if (anyDuplicated(names(more)) > 0) {
    refuse("options: found ", names(more)[anyDuplicated(names(more))], " twice, expected each once")
  }
  for (name in names(more)) {
    value <- more[[name]]
    if (is.null(value) || (is.atomic(value) && length(value) > 0 && !anyNA(value))) next
    expected(paste0("options$", gsub("-", "_", name)), value, "a value, text or TRUE or FALSE; NULL is the default")
  }
  own[names(more)] <- more
  Filter(Negate(is.null), own)
}
