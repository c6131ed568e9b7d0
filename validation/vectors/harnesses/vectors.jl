# Runs a solver of yours through a file of test vectors (needs the package JSON):
#   include("vectors.jl"); wrong = vectors("chen2009-eq1.json", p -> my_solver(p["K"], p["y"], p["C"]))
# The solver takes a problem, matrices as vectors of rows, and returns the optimal value. What is
# wrong is told by its slip.
import JSON

function near(value, optimum, factor, tol)
    low, high = sort(factor .* parse.(Float64, optimum))
    return low - tol * abs(low) <= value <= high + tol * abs(high)
end

function vectors(file, solver; tol = 1e-6)
    v = JSON.parsefile(file)
    wrong = 0
    for group in v["groups"], test in group["tests"]
        value = solver(test["problem"])
        if near(value, test["optimum"], 1, tol)
            println("right  ", test["id"])
            continue
        end
        wrong += 1
        why = "none of the slips known"
        for slip in test["slips"]
            optimum = get(slip, "optimum", test["optimum"])
            if near(value, optimum, slip["factor"], tol)
                why = v["notes"][slip["flag"]]
            end
        end
        println("WRONG  ", test["id"], ": ", value, ", not ", test["optimum"][1], ": ", why)
    end
    return wrong
end
