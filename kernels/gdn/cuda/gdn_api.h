/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_GDN_API_H
#define ASSAY_GDN_API_H

#include <stddef.h>
#include <stdint.h>

/* The gated linear recurrence on a CUDA device, as libassay_gdn.so gives it:
 *
 *     S_t = (I - k_t (b_t * k_t)^T) Diag(e^{g_t}) S_{t-1} + k_t (w_t * v_t)^T,   o_t = scale S_t^T q_t
 *
 * Every function that returns an int returns 0 where it did what was asked; otherwise `error` holds one line that says why.
 * Kernels are started on the caller's stream and not waited for. Results are the same bits each time. */

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_GDN_API __attribute__((visibility("default")))

enum { ASSAY_GDN_BFLOAT16 = 0, ASSAY_GDN_FLOAT16 = 1 };

/* An input [B, T, H, channels] in device memory; strides count elements. Channels lie side by side (1), or one value serves all
 * of them (0), which b, g and w may have. Tensors of 16-bit elements with a channel stride of 1 start at a multiple of 16 bytes
 * and have strides that are multiples of 8; others need no more than their elements do. */
typedef struct assay_gdn_tensor {
    const void* data;
    int64_t batch_stride, token_stride, head_stride, channel_stride;
} assay_gdn_tensor;

/* Outputs are row-major; gradients start at a multiple of 16 bytes. What may be null: sequence_starts, initial_state,
 * final_state, final_grad, initial_grad. */
typedef struct assay_gdn_call {
    int32_t element; /* of q k b v w do and of o and all gradients but dg */
    int32_t device;
    int64_t batch, tokens, heads;
    int64_t keys, values;           /* 64 or 128 */
    int64_t sequences;              /* N; the batch where sequence_starts is null */
    const int32_t* sequence_starts; /* cu_seqlens in device memory: N + 1 rising offsets from 0 to T; the batch is 1 then */
    float scale;
    assay_gdn_tensor q, k, b, g, v, w; /* g in fp32: the natural logarithm of the decay, at most 0 */
    const float* initial_state;        /* [N, H, K, V] */
    void* o;                           /* forward: [B, T, H, V] */
    float* final_state;                /* forward: [N, H, K, V] */
    assay_gdn_tensor output_grad;      /* backward from here on */
    const float* final_grad;           /* [N, H, K, V] */
    void *dq, *dk, *db;                /* [B, T, H, K] */
    float* dg;                         /* [B, T, H, K] */
    void *dv, *dw;                     /* [B, T, H, V] */
    float* initial_grad;               /* [N, H, K, V] */
    void* workspace;                   /* at a multiple of 256 bytes */
    int64_t workspace_bytes;
    void* stream; /* cudaStream_t; null: the default stream */
} assay_gdn_call;

/* "sm_80, sm_90a, sm_100a (assembled, not executed)" */
ASSAY_GDN_API const char* assay_gdn_images(void);

/* Whether the kernels can be used on a device: they run there, and agree with the CPU on a small problem. The first call of a
 * device does the work, which waits for it; assay_gdn_forward() and assay_gdn_backward() call it. */
ASSAY_GDN_API int assay_gdn_check(int32_t device, char* error, size_t error_bytes);

/* Bytes of working memory that a call needs; only its sizes are read. */
ASSAY_GDN_API int assay_gdn_workspace(const assay_gdn_call* call, int is_backward, int64_t* bytes, char* error,
                                      size_t error_bytes);

ASSAY_GDN_API int assay_gdn_forward(const assay_gdn_call* call, char* error, size_t error_bytes);
ASSAY_GDN_API int assay_gdn_backward(const assay_gdn_call* call, char* error, size_t error_bytes);

/* Kernels of a call in order, and how long each took: for measurements. Waits.
 * @param names, milliseconds  room for 8 */
ASSAY_GDN_API int assay_gdn_profile(const assay_gdn_call* call, int is_backward, const char** names, float* milliseconds,
                                    int* count, char* error, size_t error_bytes);

#ifdef __cplusplus
}
#endif

#endif
