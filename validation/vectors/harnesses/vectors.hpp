// Runs a solver of yours through a file of test vectors (needs nlohmann/json):
//   int main() { return vectors("chen2009-eq1.json", [](const json& p) { return my_solver(p); }); }
// The solver takes a problem and returns the optimal value. What is wrong is told by its slip.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

using json = nlohmann::json;

inline bool near(double value, const json& optimum, double factor, double tol) {
  double a = factor * std::stod(optimum[0].get<std::string>());
  double b = factor * std::stod(optimum[1].get<std::string>());
  double low = std::min(a, b), high = std::max(a, b);
  return value >= low - tol * std::fabs(low) && value <= high + tol * std::fabs(high);
}

template <class Solver>
int vectors(const char* file, Solver solver, double tol = 1e-6) {
  json v = json::parse(std::ifstream(file));
  int wrong = 0;
  for (const auto& group : v["groups"])
    for (const auto& test : group["tests"]) {
      double value = solver(test["problem"]);
      const char* id = test["id"].get_ref<const std::string&>().c_str();
      if (near(value, test["optimum"], 1, tol)) {
        std::printf("right  %s\n", id);
        continue;
      }
      ++wrong;
      std::string why = "none of the slips known";
      for (const auto& slip : test["slips"])
        if (near(value, slip.value("optimum", test["optimum"]), slip["factor"], tol))
          why = v["notes"][slip["flag"].get<std::string>()];
      std::printf("WRONG  %s: %.9g: %s\n", id, value, why.c_str());
    }
  return wrong;
}
