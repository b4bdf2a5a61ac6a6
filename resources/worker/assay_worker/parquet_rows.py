# SPDX-License-Identifier: Apache-2.0
"""Write the rows of a Parquet file to standard output, one JSON object a line.

    python3 -I parquet_rows.py FILE > rows.jsonl

The output is what `assay import` reads on a machine without pyarrow. Rows are read in batches, so memory stays at the size of one
batch. Nested values become objects and lists; 64-bit integers keep every digit; NaN and infinities become the strings "NaN",
"Infinity" and "-Infinity"; bytes are decoded as UTF-8 where they are text and otherwise become {"base64": ...}. Needs pyarrow and
nothing else.

Exit status: 0 done, 3 pyarrow is absent, 4 the file cannot be read (one line on standard error says why), 1 anything else.
"""

import base64
import datetime
import decimal
import json
import math
import os
import sys

BATCH_ROWS = 64
NO_PYARROW = 3
UNREADABLE = 4


def plain(value):
    """`value` as something that JSON can hold without losing it."""
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (bytes, bytearray, memoryview)):
        raw = bytes(value)
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(raw).decode("ascii")}
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, decimal.Decimal):
        return str(value)
    return value


def rows(path):
    import pyarrow.parquet

    for batch in pyarrow.parquet.ParquetFile(path).iter_batches(batch_size=BATCH_ROWS):
        yield from batch.to_pylist()


def main(path):
    try:
        import pyarrow
    except ImportError as error:
        print(f"pyarrow: {error}", file=sys.stderr)
        return NO_PYARROW
    out = sys.stdout.buffer
    try:
        for row in rows(path):
            out.write(json.dumps(plain(row), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))
            out.write(b"\n")
        out.flush()
    except BrokenPipeError:
        # The reader stopped early, which is its right; the interpreter must not complain again while it closes the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (OSError, pyarrow.ArrowException) as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return UNREADABLE
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
