# SPDX-License-Identifier: Apache-2.0
"""The kernels of the sample corpus: bases, and variants that differ from their base in one named place."""
from . import attention, conv, elementwise, loss, matmul, native, norm, odd, reduction, run_folder, scan, softmax

KERNELS = (elementwise.KERNELS + softmax.KERNELS + norm.KERNELS + reduction.KERNELS + matmul.KERNELS + scan.KERNELS + conv.KERNELS
           + loss.KERNELS + attention.KERNELS + native.KERNELS + odd.KERNELS)
RUN_FOLDER = run_folder.RUN_FOLDER
