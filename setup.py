"""The rooms stand at the top of the repository and are installed as the package cvxkernel.

Every folder with an __init__.py inside a room is a package: none has to be listed.
"""

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

ROOMS = ("formulations", "solvers", "validation")


class Rooms(build_py):
    """Of the top folder the front door alone."""

    def find_package_modules(self, package, package_dir):
        """Not this file."""
        found = super().find_package_modules(package, package_dir)
        return [module for module in found if module[:2] != ("cvxkernel", "setup")]


setup(
    cmdclass={"build_py": Rooms},
    package_dir={"cvxkernel": "."},
    packages=[
        "cvxkernel",
        *(f"cvxkernel.{name}" for name in find_packages(".") if name.split(".")[0] in ROOMS),
    ],
)
