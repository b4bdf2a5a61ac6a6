// SPDX-License-Identifier: Apache-2.0
// Puts the functions of {fmt} that our archives call into this file: what a Python loads must not need libfmt.so where it runs,
// and Debian has no archive of it.
#include <fmt/format-inl.h>

// The header declares these templates as instantiated elsewhere: here.
FMT_BEGIN_NAMESPACE
namespace detail {
template FMT_API auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl<char>(locale_ref) -> char;
template FMT_API auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API void buffer<char>::append(const char*, const char*);
} // namespace detail
FMT_END_NAMESPACE
