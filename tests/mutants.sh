#!/bin/sh
# Tests of the tests: ten faults drawn at random from tools/mutants must be noticed. `make mutants`
# tries them all. MUTANTS_SEED: another draw.
[ "${CHECK_THOROUGH:-}" = 1 ] || { echo "only with ./check --thorough"; exit 77; }
here=$PWD
cd "${srcdir:-.}" &&
    MUTANTS_DIR=$here/mutants exec tools/mutate --random 10 --seed "${MUTANTS_SEED:-1}" --budget 300
