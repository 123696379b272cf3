# SPDX-License-Identifier: MIT
"""Builds the extension module with the library inside it: from the checkout around this folder, or from the copy of it
that a source distribution has in library/.

ULTRAFILTER_STATIC=FILE takes a libultrafilter.a that was built already; otherwise CMake builds one. With
ULTRAFILTER_SHARED=FILE, a libultrafilter.so, the module has no library inside and needs that of the system.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
COPY = HERE / "library"
ROOT = COPY if COPY.is_dir() else HERE.parent.parent
PARTS = ["CMakeLists.txt", "LICENSE", "cmake", "include", "src"]  # what CMake needs for the library alone


def version():
    """There is one rule: the version of the project in CMakeLists.txt."""
    return re.search(r"project\(ultrafilter VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def build_library(folder):
    """The static library, made by CMake in `folder`."""
    options = ["-DUF_CLI=OFF", "-DUF_LAB=OFF", "-DUF_HOSTS=OFF", "-DCMAKE_BUILD_TYPE=Release"]
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(folder), *options], check=True, stdout=subprocess.DEVNULL)
    jobs = str(os.cpu_count() or 1)
    subprocess.run(["cmake", "--build", str(folder), "--target", "uf_static", "-j", jobs], check=True,
                   stdout=subprocess.DEVNULL)
    return folder / "libultrafilter.a"


class BuildExtension(build_ext):
    def build_extension(self, extension):
        shared = os.environ.get("ULTRAFILTER_SHARED")
        if shared:
            extension.libraries = []
        given = shared or os.environ.get("ULTRAFILTER_STATIC")
        library = Path(given) if given else build_library(Path(self.build_temp).resolve() / "library")
        extension.extra_objects = [str(library)]
        extension.depends.append(str(library))
        super().build_extension(extension)


class SourceDistribution(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for part in PARTS:
            source, target = ROOT / part, Path(base_dir) / "library" / part
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(source, target) if source.is_dir() else shutil.copy2(source, target)


sources = [str(path.relative_to(HERE)) for path in sorted((HERE / "native").glob("*.c"))]
headers = [str(path.relative_to(HERE)) for path in sorted((HERE / "native").glob("*.h"))]

setup(
    version=version(),
    ext_modules=[
        Extension(
            "ultrafilter._core",
            sources=sources,
            depends=headers + [str(ROOT / "include" / "ultrafilter.h")],
            include_dirs=[str(ROOT / "include")],
            define_macros=[("_GNU_SOURCE", None), ("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,
            libraries=["crypto", "sodium", "pthread", "m"],
            extra_compile_args=["-std=c17", "-fvisibility=hidden", "-Wextra", "-Werror=implicit-function-declaration"],
            extra_link_args=["-Wl,--exclude-libs,ALL"],
        )
    ],
    cmdclass={"build_ext": BuildExtension, "sdist": SourceDistribution},
)
