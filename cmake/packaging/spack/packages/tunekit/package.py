# SPDX-License-Identifier: MIT
# spack repo add cmake/packaging/spack && spack dev-build tunekit@0.2.0: the checkout that you stand in.
from spack.package import *


class Tunekit(CMakePackage):
    """Auto-tuning algorithms as values, C++20."""

    license("MIT")
    version("0.2.0")

    variant("eigen", default=True, description="Fitted tuning curves, MCMC and the policy gradient")
    variant("records", default=True, description="The package records: logs, resumed runs and experience")
    variant("formats", default=True, description="The packages formats and scoring: recordings and foreign formats")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("eigen@3.4:", when="+eigen")
    depends_on("nlohmann-json@3.11:", when="+records")
    depends_on("nlohmann-json@3.11:", when="+formats")
    depends_on("zlib-api", when="+formats")
    conflicts("%gcc@:11", msg="tunekit needs g++ 12 or newer")
    conflicts("%clang@:13", msg="tunekit needs clang 14 or newer")

    def cmake_args(self):
        return [self.define(f"TUNEKIT_BUILD_{what}", False) for what in ("TESTS", "TOOLS", "EXAMPLES", "BENCH")]
