# Runs a solver of yours through a file of test vectors (needs jsonlite):
#   source("vectors.R"); wrong <- vectors("chen2009-eq1.json", function(p) my_solver(p$K, p$y, p$C))
# The solver takes a problem and returns the optimal value. What is wrong is told by its slip.
vectors <- function(file, solver, tol = 1e-6) {
  v <- jsonlite::fromJSON(file, simplifyDataFrame = FALSE)
  near <- function(value, optimum, factor) {
    ends <- sort(factor * as.numeric(optimum))
    value >= ends[1] - tol * abs(ends[1]) && value <= ends[2] + tol * abs(ends[2])
  }
  wrong <- 0
  for (group in v$groups) for (test in group$tests) {
    value <- solver(test$problem)
    if (near(value, test$optimum, 1)) {
      cat(sprintf("right  %s\n", test$id))
      next
    }
    wrong <- wrong + 1
    why <- "none of the slips known"
    for (slip in test$slips) {
      optimum <- if (is.null(slip$optimum)) test$optimum else slip$optimum
      if (near(value, optimum, slip$factor)) why <- v$notes[[slip$flag]]
    }
    cat(sprintf("WRONG  %s: %.9g, not %s: %s\n", test$id, value, test$optimum[1], why))
  }
  wrong
}
