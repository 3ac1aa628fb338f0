#!/bin/sh
# Usage: install.sh PREFIX PACKAGE CONSTRAINTS
# The steps of the Dockerfile that install r5: an environment in PREFIX with PACKAGE and compiled kernels.
# `.ci/first-run` runs them without a container.
set -eu
prefix=$1 package=$2 constraints=$3
[ -x "$prefix/bin/python" ] || "${PYTHON:-python3}" -m venv "$prefix"
"$prefix/bin/python" -m pip --disable-pip-version-check install --quiet --no-cache-dir --constraint "$constraints" "$package"
"$prefix/bin/r5" warm-up --engine grammar --engine chains
