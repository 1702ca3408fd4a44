"""Build of the C core: one extension per module of ``ugt/_core``, with the list of its pure C sources."""

from __future__ import annotations

import glob
import os
import platform
import sys
import sysconfig

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

CORE = "ugt/_core"

# What Cython writes for typed memoryviews is the same in every module. It is compiled once, as a module of its own, which halves the
# compiling and the size of the wheel.
SHARED = "_shared"

CUBATURE = ["special", "jacobi", "chains", "laws", "cubature", "adaptive", "posterior"]
POINTS = ["heights", "proposals", "learning", "largest", "tallies", "points"]
QUADRATURE = ["cells", "profile", "quadrature", "dirichlet", "overlaps", "lists"]

# module -> the C files it links (pure C11; a file may be linked into several modules)
MODULES = {
    "_tables": ["status", "tables", "irn", "agreement"],
    "_stream": ["status", "stream"],
    "_order": ["status", "order", "compare"],
    "_dirichlet": ["status", "stream", "special", "gamma_draws", "compare", *QUADRATURE],
    "_plackett_luce": ["status", "stream", "subset", "block", "likelihood", "stages", "gibbs", "map", *CUBATURE, *POINTS],
    "_mentioned": ["status", "stream", "singles"],
    "_resample": ["status", "stream", "resample", "grouped"],
    "_panels": ["status", "panels"],
    "_soft": ["status", "sort", "soft"],
    "_diagnostics": ["status", "diagnostics"],
    "_histogram": ["status", "histogram", "resampled_bins"],
    "_dirmult": ["status", "dirmult"],
    "_em": ["status", "stream", "em", "skills", "coins"],
    "_graded": ["status", "graded"],
    "_latent": ["status", "latent"],
    "_sets": ["status", "stream", "sets"],
    "_pairs": ["status", "pairs", "masks"],
    "_rows": ["status", "rows"],
    "_exact": ["status", "stream", "exact", "poisson"],
}

# The stable ABI needs an ordinary (not free-threaded) CPython >= 3.11; UGT_ABI3=0 builds for one version only.
ABI3 = (
    os.environ.get("UGT_ABI3", "1") != "0"
    and platform.python_implementation() == "CPython"
    and sys.version_info >= (3, 11)
    and not sysconfig.get_config_var("Py_GIL_DISABLED")
)


# Portable baseline only: gcc 12 miscompiles a vectorised comparison reduction at -O3 with -mavx*/-march=native.
FLAGS = ["-std=c11", "-O3", "-ffp-contract=off", "-fvisibility=hidden", "-g0"]
FLAGS_OF_MSVC = ["/O2", "/fp:precise", "/std:c11"]


class Build(build_ext):
    """A build with the flags of the compiler that is found: Windows may have MSVC, MinGW or clang."""

    def build_extensions(self) -> None:
        msvc = self.compiler.compiler_type == "msvc"
        for one in self.extensions:
            if "UGT_CFLAGS" in os.environ:
                one.extra_compile_args = ["-std=c11", *os.environ["UGT_CFLAGS"].split()]
            else:
                one.extra_compile_args = FLAGS_OF_MSVC if msvc else FLAGS
            one.libraries = [] if msvc else ["m"]
        super().build_extensions()


def extension(name: str, sources: list[str]) -> Extension:
    return Extension(
        f"ugt._core.{name}",
        [f"{CORE}/{one}" for one in sources],
        include_dirs=[CORE],
        depends=sorted(glob.glob(f"{CORE}/*.h") + glob.glob(f"{CORE}/*.pxd")),
        extra_link_args=os.environ.get("UGT_CFLAGS", "").split(),
        define_macros=[("Py_LIMITED_API", "0x030B0000")] if ABI3 else [],
        py_limited_api=ABI3,
    )


setup(
    cmdclass={"build_ext": Build},
    ext_modules=cythonize(
        [
            extension(SHARED, [f"{SHARED}.c"]),
            *(extension(name, [f"{name}.pyx", *(f"{c}.c" for c in sources)]) for name, sources in MODULES.items()),
        ],
        shared_utility_qualified_name=f"ugt._core.{SHARED}",
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "embedsignature": False,
            "autotestdict": False,
            "auto_pickle": False,
            "freethreading_compatible": True,
        },
        include_path=[CORE],
    ),
    options={"build_ext": {"parallel": os.cpu_count()}, **({"bdist_wheel": {"py_limited_api": "cp311"}} if ABI3 else {})},
)
