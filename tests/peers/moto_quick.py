"""moto_quick.py [OPTIONS OF moto_server]: moto's server, with two lookups that take less time and find the same.

EC2 answers many launches at once; moto is one Python process. For each request, moto compares every nested parameter with
all parameters (0.2 s for a CreateFleet with 179 overrides) and lists the folder of its services. Launches wait for each
other there, and a measurement of a controller becomes one of moto.
"""
# SPDX-License-Identifier: Apache-2.0
import bisect
import sys

from moto import backends
from moto.core.parse import QueryParser
from moto.server import main


def no_parameter_starts_with(_, parameters, prefix):
    if prefix == "":
        return False
    if not hasattr(parameters, "in_order"):
        parameters.in_order = sorted(parameters)
    at = bisect.bisect_left(parameters.in_order, prefix)
    return at == len(parameters.in_order) or not parameters.in_order[at].startswith(prefix)


if __name__ == "__main__":
    SERVICES = tuple(backends.list_of_moto_modules())
    backends.list_of_moto_modules = lambda: SERVICES
    QueryParser._gonna_recurse = no_parameter_starts_with
    sys.exit(main())
