# SPDX-License-Identifier: Apache-2.0
"""The gated linear recurrence for torch, with gradients:

    S_t = (I - k_t (b_t * k_t)^T) Diag(e^{g_t}) S_{t-1} + k_t (w_t * v_t)^T,   o_t = scale S_t^T q_t

and the families of recurrences that are it with gates of a certain form:

    from assay_worker.gdn import gdn2
    o = gdn2(q, k, v, b=b, w=w, g=g)

On the CPU it is computed by the extension module, on a CUDA device by libassay_gdn.so; both lie beside this package. See recurrence()
for what every family takes besides its own inputs."""

from .operators import delta_rule, gated_delta_rule, gdn2, gla, kda, mamba1, mamba2, mamba3, recurrence

__all__ = ["delta_rule", "gated_delta_rule", "gdn2", "gla", "kda", "mamba1", "mamba2", "mamba3", "recurrence"]
