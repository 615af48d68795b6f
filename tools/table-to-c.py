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


def or_null(text):
    return "NULL" if text == "-" else quoted(text)


def events_generic(path):
    out = ["#define UH_EVENTS_GENERIC_ROWS \\"]
    for name, kind, config, scale, unit, alias in rows(path, 6):
        unit = '""' if unit == "-" else quoted(unit)
        out.append(f"\tX({quoted(name)}, {int(kind)}, {int(config, 0)}, {float(scale)!r}, "
                   f"{unit}, {or_null(alias)}) \\")
    return out + ["\t/* end */"]


def events_architectural(path):
    out = ["#define UH_EVENTS_ARCHITECTURAL_ROWS \\"]
    for name, config, alias in rows(path, 3):
        out.append(f"\tX({quoted(name)}, {int(config, 0):#x}, {or_null(alias)}) \\")
    return out + ["\t/* end */"]


def events_emulated(path):
    out = ["#define UH_EVENTS_EMULATED_ROWS \\"]
    for name, names in rows(path, 2):
        sum_of = " | ".join(f"BIT(UH_QUANTITY_{one.upper()})" for one in names.split())
        out.append(f"\tX({quoted(name)}, {sum_of}) \\")
    return out + ["\t/* end */"]


def emulated_core(path):
    return [f"#define UH_CORE_{name.upper()} {int(value)}u" for name, value, _ in rows(path, 3)]


def metrics_basic(path):
    out = ["#define UH_METRICS_BASIC_ROWS \\"]
    kinds = ("utilisation", "gigahertz", "ratio", "percent")
    for event, kind, divisor, unit in rows(path, 4):
        if kind not in kinds:
            sys.exit(f"{path}: {event}: unknown kind {kind}")
        out.append(f"\tX({quoted(event)}, {kind.upper()}, {or_null(divisor)}, {quoted(unit)}) \\")
    return out + ["\t/* end */"]


def hypervisors(path):
    out = ["#define UH_HYPERVISORS_ROWS \\"]
    for signature, name, remedy in rows(path, 3):
        if len(signature) > 12:
            sys.exit(f"{path}: {signature}: a signature has at most 12 bytes")
        out.append(f"\tX({quoted(signature)}, {quoted(name)}, {quoted(remedy)}) \\")
    return out + ["\t/* end */"]


def cpuid_events(path):
    out = ["#define UH_CPUID_EVENTS_ROWS \\"]
    for position, (bit, name) in enumerate(rows(path, 2)):
        if int(bit) != position:
            sys.exit(f"{path}: {name}: bits go up from 0, one a line")
        out.append(f"\tX({int(bit)}, {quoted(name)}) \\")
    return out + ["\t/* end */"]


KINDS = {
    "quantities": quantities,
    "events-generic": events_generic,
    "events-architectural": events_architectural,
    "events-emulated": events_emulated,
    "metrics-basic": metrics_basic,
    "emulated-core": emulated_core,
    "hypervisors": hypervisors,
    "cpuid-events": cpuid_events,
}


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in KINDS:
        sys.exit(f"usage: {sys.argv[0]} {{{','.join(KINDS)}}} INPUT.tsv OUTPUT.h")
    kind, source, target = sys.argv[1:]
    guard = f"UH_TABLE_{kind.upper().replace('-', '_')}_H"
    body = KINDS[kind](source)
    with open(target, "w", encoding="utf-8") as header:
        header.write(f"/* Generated from data/{kind}.tsv; change that file instead. */\n")
        header.write(f"#ifndef {guard}\n#define {guard}\n\n")
        header.write("\n".join(body))
        header.write("\n\n#endif\n")


main()
