// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <type_traits>

namespace assay::device {

/// Fills function pointers from a library that was opened at run time, and remembers the first name that it lacks.
class SymbolFinder {
public:
    explicit SymbolFinder(void* library)
        : m_library(library)
    {
    }

    template <typename Function> void operator()(Function& function, const char* name)
    {
        static_assert(std::is_pointer_v<Function>);
        void* const symbol = dlsym(m_library, name);
        if (symbol == nullptr && m_missing == nullptr)
            m_missing = name;
        function = reinterpret_cast<Function>(symbol);
    }

    const char* missing() const { return m_missing; } ///< null where nothing was

private:
    void* m_library;
    const char* m_missing = nullptr;
};

} // namespace assay::device
