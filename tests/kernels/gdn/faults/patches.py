# SPDX-License-Identifier: Apache-2.0
"""Faults that are patched into the operator's own source: each changes one place, as a slip of the hand would."""

import os
from typing import NamedTuple


class Fault(NamedTuple):
    name: str
    what: str  # for people
    file: str  # below the root of the sources
    old: str  # stands there exactly once
    new: str
    gates: tuple  # of which one must fail


CPU = (
    Fault("last_chunk", "the backward takes the last of several chunks as if nothing had been written before it",
          "kernels/gdn/chunked.cpp",
          "            kept.state = m_state;\n",
          "            kept.state = first > 0 && first + m_rows >= inputs.tokens ? std::vector<Real>(m_state.size()) : m_state;\n",
          ("CMP-03",)),
    Fault("decay", "the state's gradient passes a chunk without its decay",
          "kernels/gdn/chunk.cpp",
          "    scaleState(stateGrad);\n    m_room.assign(",
          "    m_room.assign(",
          ("CMP-03",)),
    Fault("accumulator", "products are added up in fp16",
          "kernels/gdn/dense.cpp",
          "                sums[row][column] += factor * factors[column];\n",
          "                sums[row][column] = static_cast<Real>(static_cast<_Float16>(sums[row][column] + factor * factors[column]));\n",
          ("PRC-02",)),
)

# In kernels that both element types are compiled from. The self-test before first use would refuse some of them: what is asked
# here is what the gates see, so it is patched out as well.
SELF_TEST = Fault("self_test", "no self-test before first use", "kernels/gdn/cuda/device_checks.cpp",
                  "    if (judgement.isGood())\n        return {};\n",
                  "    if (judgement.isGood() || call.device == device)\n        return {};\n",
                  ())
CUDA = (
    Fault("last_chunk", "the output of a chunk that is not full misses what was written before it",
          "kernels/gdn/cuda/scan.h",
          "            writeEntering(chunk);\n",
          "            if (D == Direction::Reverse || m_arguments.work.places[chunk].rows == plan::kChunk\n"
          "                || chunk == sequence.firstChunk)\n"
          "                writeEntering(chunk);\n",
          ("CMP-03",)),
    Fault("decay", "the state's gradient passes a chunk without its decay",
          "kernels/gdn/cuda/scan.h",
          "                    decayState(tile<float>(stage, Shared::decay) + firstKey());\n",
          "                    if (D == Direction::Forward)\n"
          "                        decayState(tile<float>(stage, Shared::decay) + firstKey());\n",
          ("CMP-03", "CMP-01")),
    Fault("accumulator", "products are added up in fp16",
          "kernels/gdn/cuda/matrix.h",
          "                multiply(results[row][tile], left, right[tile / 2][tile % 2 * 2], right[tile / 2][tile % 2 * 2 + 1], Element{});\n",
          "            {\n"
          "                multiply(results[row][tile], left, right[tile / 2][tile % 2 * 2], right[tile / 2][tile % 2 * 2 + 1], Element{});\n"
          "                for (float& sum : results[row][tile])\n"
          "                    sum = toFloat(Float16{static_cast<std::uint16_t>(pack(sum, 0, Float16{}))});\n"
          "            }\n",
          ("EXC-01", "CMP-01")),
    Fault("barrier", "nobody waits until all warps have read what the next copies write over, nor for what is passed",
          "kernels/gdn/cuda/scan.h",
          "    ASSAY_DEVICE void meetBehindPass() { meetBlock<plan::kScanThreads>(); }\n",
          "    ASSAY_DEVICE void meetBehindPass() { }\n",
          ("ORD-02", "CMP-01")),
)


def apply(fault, root):
    """Patches the file below `root`. Raises ValueError unless the place is there exactly once."""
    path = os.path.join(root, fault.file)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    count = text.count(fault.old)
    if count != 1:
        raise ValueError("%s: the place that it changes in %s is there %d times" % (fault.name, fault.file, count))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(fault.old, fault.new))


def report(fault, found):
    """Prints what the gates in `found` {id: gate as verify has it} came to. @return whether that is as it must be: one of the fault's
    own fails, or all pass where there is no fault."""
    verdicts = [gate["verdict"] for gate in found.values()]
    is_right = any(found[gate]["verdict"] in ("fail", "crash") for gate in fault.gates) if fault else set(verdicts) == {"pass"}
    for name, gate in found.items():
        print("%-4s%-12s %s %s, %d of %d: %s" % ("ok" if is_right else "NOT", fault.name if fault else "no fault", name, gate["verdict"],
                                                gate["exercised"], gate["total"], gate["finding"]), flush=True)
    return is_right
