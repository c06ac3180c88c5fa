"""Builds the native kernel where a C compiler is at hand; without one the plain-Python twin serves."""

from setuptools import Extension, setup

STABLE_ABI = "0x030B0000"

setup(
    ext_modules=[
        Extension(
            f"bodytext._kernel.{name}",
            [f"src/bodytext/_kernel/{name}.pyx"],
            depends=["src/bodytext/_kernel/layers.h"] if name == "layers" else [],
            define_macros=[("Py_LIMITED_API", STABLE_ABI)],
            py_limited_api=True,
            extra_compile_args=["-O3", "-fno-trapping-math"],  # the second lets more loops do several numbers at once
            optional=True,
        )
        for name in ("scan", "clues", "survey", "layers", "values", "shingles", "grams")
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
