# SPDX-License-Identifier: MIT
# conan create cmake/packaging/conan: the checkout that this file stands in, as a package.
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import collect_libs, copy, load


class Tunekit(ConanFile):
    name = "tunekit"
    description = "Auto-tuning algorithms as values, C++20"
    license = "MIT"
    topics = ("auto-tuning", "bayesian-optimization", "bandits", "mcmc")
    package_type = "static-library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"with_eigen": [True, False], "with_formats": [True, False], "with_records": [True, False]}
    default_options = {"with_eigen": False, "with_formats": False, "with_records": False}  # headers that need a compiler and nothing else

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..", "..")

    def set_version(self):
        self.version = load(self, os.path.join(self._root, "VERSION")).strip()

    def export_sources(self):
        for part in ("VERSION", "LICENSE", "README.md", "CHANGELOG.md", "CMakeLists.txt", "cmake/*", "include/*", "packages/*", "docs/*", "examples/*",
                     "tools/*"):
            copy(self, part, self._root, self.export_sources_folder)

    def requirements(self):
        if self.options.with_eigen:
            self.requires("eigen/3.4.0", transitive_headers=True)
        if self.options.with_records or self.options.with_formats:
            self.requires("nlohmann_json/3.11.3", transitive_headers=True)
        if self.options.with_formats:
            self.requires("zlib/[>=1.2.11 <2]", transitive_headers=True)

    def generate(self):
        chain = CMakeToolchain(self)
        for what in ("TESTS", "TOOLS", "EXAMPLES", "BENCH"):
            chain.variables[f"TUNEKIT_BUILD_{what}"] = False
        if not (self.options.with_records or self.options.with_formats):
            chain.variables["CMAKE_DISABLE_FIND_PACKAGE_nlohmann_json"] = True  # the machine's own is none of this package
        chain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.set_property("cmake_find_mode", "none")  # tunekit's own files are better
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "tunekit")]
        self.cpp_info.libs = sorted(collect_libs(self), reverse=True)  # records before processes, on which it stands
