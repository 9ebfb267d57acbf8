"""Imports every module of both clients, because most are imported only on first use."""

import importlib
import pkgutil
import sys

sys.path.insert(0, ".")
for package in ("sitefleet_abilities", "sitefleet_v2"):
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        importlib.import_module(module.name)
