# A recipe for Spack. In a clone of collprof:
#
#   spack repo create --subdirectory packages ~/own own     # once; Spack 1.0 says where own goes
#   spack repo add ~/own
#   cp -r packaging/spack ~/own/packages/collprof
#   spack dev-build collprof@main                           # builds what is in this directory
from spack.package import *


class Collprof(AutotoolsPackage):
    """Profiler and accurate benchmark of MPI communication: where the time of an MPI application
    goes, how long its collective operations really take and who is late for them, and whether
    communication overlaps with computation. Unmodified programs in C, C++, Fortran and Python."""

    # To be built from a clone: there is no public place that it could be fetched from.
    license("BSD-3-Clause")
    version("main")

    variant("otf2", default=False, description="collprof report --format=otf2")

    depends_on("c", type="build")
    depends_on("autoconf", type="build")
    depends_on("automake", type="build")
    depends_on("libtool", type="build")
    depends_on("gawk", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("libunwind")
    depends_on("elfutils")
    depends_on("hwloc")
    depends_on("jansson")
    depends_on("otf2@3:", when="+otf2")

    force_autoreconf = True

    def configure_args(self):
        return ["--with-mpi=" + self.spec["mpi"].prefix]
