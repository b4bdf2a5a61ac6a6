// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/op_family.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>

namespace assay::ingest {

namespace {

struct FamilyWords {
    std::string_view family;
    std::initializer_list<std::string_view> inName; ///< parts of a problem's name, lower case
    std::initializer_list<std::string_view> inBody; ///< calls in a reference, lower case
};

const std::array<FamilyWords, 10> kFamilies = {{
    {"attention", {"attention", "attn", "sdpa", "gqa", "mha"}, {"scaled_dot_product_attention", "multiheadattention"}},
    {"scan",
     {"cumsum", "cumprod", "cummax", "cummin", "scan", "mamba", "ssm", "ssd"},
     {"cumsum(", "cumprod(", "cummax(", "cummin(", "logcumsumexp("}},
    {"loss", {"loss", "crossentropy", "cross_entropy", "kldiv", "kl_div"}, {"loss(", "cross_entropy(", "kl_div("}},
    {"conv",
     {"conv"},
     {"conv1d(", "conv2d(", "conv3d(", "convtranspose1d(", "convtranspose2d(", "convtranspose3d(", "conv_transpose"}},
    {"matmul",
     {"matmul", "gemm", "bmm", "matrix", "linear", "mlp", "matvec", "vector_mult"},
     {"matmul(", ".mm(", ".bmm(", "baddbmm(", "addmm(", "nn.linear(", "f.linear(", "einsum(", " @ "}},
    {"pooling", {"pool"}, {"pool1d(", "pool2d(", "pool3d("}},
    {"softmax", {"softmax", "logsumexp"}, {"softmax(", "logsumexp("}},
    {"norm",
     {"norm"},
     {"norm1d(", "norm2d(", "norm3d(", "layernorm(", "groupnorm(", "rmsnorm(", "_norm(", ".norm(", "normalize("}},
    {"reduction",
     {"reduc", "argmax", "argmin", "_sum", "_mean", "_max_", "_min_", "max_over", "min_over", "product"},
     {".sum(", ".mean(", ".amax(", ".amin(", ".max(", ".min(", ".prod(", "argmax(", "argmin(", "torch.std(", "torch.var("}},
    {"elementwise",
     {"relu", "gelu", "sigmoid", "tanh", "softplus", "softsign", "swish", "silu", "mish", "elu", "clamp", "activation", "_add",
      "_mul", "scale"},
     {"relu(", "gelu(", "sigmoid(", "tanh(", "softplus(", "softsign(", "silu(", "mish(", "clamp(", "abs(", "exp(", "sqrt(",
      "torch.where(", "return x", "return a", "return input"}},
}};

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

bool holdsAny(std::string_view text, std::initializer_list<std::string_view> words)
{
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

} // namespace

std::string opFamily(std::string_view name, std::string_view referenceSource)
{
    const std::string lowerName = lower(name);
    for (const FamilyWords& words : kFamilies) {
        if (holdsAny(lowerName, words.inName))
            return std::string(words.family);
    }
    const std::string body = lower(referenceSource);
    for (const FamilyWords& words : kFamilies) {
        if (holdsAny(body, words.inBody))
            return std::string(words.family);
    }
    return "unknown";
}

} // namespace assay::ingest
