#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Turns a table of data/ into a C header.

usage: table-to-c.py KIND INPUT.tsv OUTPUT.h

A table is tab-separated, a row a line; lines that start with '#' and blank lines
are comments. KIND says which columns are expected and what C comes out.
"""
import sys


def rows(path, columns):
    """The rows of a table, each a list of exactly `columns` strings."""
    result = []
    with open(path, encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            line = line.rstrip("\n")
            if not line.strip() or line.startswith("#"):
                continue
            cells = line.split("\t")
            if len(cells) != columns:
                sys.exit(f"{path}:{number}: {len(cells)} columns, wanted {columns}")
            result.append(cells)
    return result


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def quantities(path):
    table = rows(path, 4)
    out = ["enum uh_quantity {"]
    for name, *_ in table:
        out.append(f"\tUH_QUANTITY_{name.upper()},")
    out.append("\tUH_QUANTITY_COUNT")
    out.append("};")
    out.append("")
    out.append("#define UH_QUANTITY_ROWS \\")
    for name, kind, cost, text in table:
        if kind not in ("exact", "modelled") or cost not in ("block", "sequence", "stream"):
            sys.exit(f"{path}: {name}: unknown class or cost")
        out.append(
            f"\tX({name.upper()}, {quoted(name)}, {kind.upper()}, {cost.upper()}, {quoted(text)}) \\")
    out.append("\t/* end */")
    return out


KINDS = {"quantities": quantities}


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in KINDS:
        sys.exit(f"usage: {sys.argv[0]} {{{','.join(KINDS)}}} INPUT.tsv OUTPUT.h")
    kind, source, target = sys.argv[1:]
    guard = f"UH_TABLE_{kind.upper()}_H"
    body = KINDS[kind](source)
    with open(target, "w", encoding="utf-8") as header:
        header.write(f"/* Generated from data/{kind}.tsv; change that file instead. */\n")
        header.write(f"#ifndef {guard}\n#define {guard}\n\n")
        header.write("\n".join(body))
        header.write("\n\n#endif\n")


main()
