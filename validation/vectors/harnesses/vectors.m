% Runs a solver of yours through a file of test vectors (Octave 7, MATLAB R2016b):
%   wrong = vectors ("chen2009-eq1.json", @(p) my_solver (p.K, p.y, p.C))
% The solver takes a problem and returns the optimal value. What is wrong is told by its slip.
function wrong = vectors (file, solver, tol)
  if nargin < 3, tol = 1e-6; end
  v = jsondecode (fileread (file));
  wrong = 0;
  for g = 1:numel (v.groups)
    tests = item (v.groups, g).tests;
    for t = 1:numel (tests)
      test = item (tests, t);
      value = solver (test.problem);
      if near (value, test.optimum, 1, tol)
        printf ("right  %s\n", test.id);
        continue
      end
      wrong = wrong + 1;
      why = "none of the slips known";
      for s = 1:numel (test.slips)
        slip = item (test.slips, s);
        optimum = test.optimum;
        if isfield (slip, "optimum") && ! isempty (slip.optimum), optimum = slip.optimum; end
        if near (value, optimum, slip.factor, tol), why = v.notes.(slip.flag); end
      end
      printf ("WRONG  %s: %.9g, not %s: %s\n", test.id, value, test.optimum{1}, why);
    end
  end
end

function x = item (list, i)
  if iscell (list), x = list{i}; else, x = list(i); end
end

function yes = near (value, optimum, factor, tol)
  ends = sort (factor * str2double (optimum));
  yes = value >= ends(1) - tol * abs (ends(1)) && value <= ends(2) + tol * abs (ends(2));
end
