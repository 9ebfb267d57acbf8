"""Tries the generated Python clients of both surfaces: every documented example, then calls of a service.

try_clients.py <folder of the documents> <base URL> <user> <password> <API key>

All in one process, since loading the clients takes longer than trying them.
"""

import sys

from calls import call_all
from examples import faults_of

folder, *access = sys.argv[1:]
faults = [
    fault
    for surface in ("abilities", "v2")
    for fault in faults_of(f"{folder}/{surface}.openapi.json", f"sitefleet_{surface}")
]
if faults:
    sys.exit(1)
call_all(*access)
