"""Builds the native kernel where a C compiler is at hand; without one the plain-Python twin serves."""

from setuptools import Extension, setup

STABLE_ABI = "0x030B0000"

setup(
    ext_modules=[
        Extension(
            f"bodytext.kernel.{name}_native",
            [f"src/bodytext/kernel/{name}_native.pyx"],
            depends=["src/bodytext/kernel/layers.h"] if name == "layers" else [],
            define_macros=[("Py_LIMITED_API", STABLE_ABI)],
            py_limited_api=True,
            extra_compile_args=["-O3", "-fno-trapping-math"],  # the second lets more loops do several numbers at once
            optional=True,
        )
        for name in ("scanner", "clues", "survey", "layers", "attributes", "shingles", "ngrams")
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
