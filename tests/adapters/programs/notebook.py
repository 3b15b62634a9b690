"""Runs a notebook and writes it with its outputs: `notebook.py SOURCE [TARGET]`, by default in its place."""

import json
import sys

import nbformat
from nbclient import NotebookClient

source, target = sys.argv[1], sys.argv[-1]
notebook = nbformat.read(source, as_version=4)
# When a cell ran is another difference at each run, and nobody reads it.
NotebookClient(notebook, timeout=500, record_timing=False).execute()
nbformat.write(notebook, target)
print(json.dumps({"cells": len(notebook.cells)}))
