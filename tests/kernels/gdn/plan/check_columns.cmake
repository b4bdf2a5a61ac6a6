# SPDX-License-Identifier: Apache-2.0
# Compiles a plan of 544 columns, which must be refused for its columns, and the shipped headers, which must not be refused.
function(compile source definition result log)
    execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${SOURCE_DIR} ${definition} ${source}
        RESULT_VARIABLE code ERROR_VARIABLE text OUTPUT_QUIET)
    set(${result} ${code} PARENT_SCOPE)
    set(${log} "${text}" PARENT_SCOPE)
endfunction()

compile(${SOURCE_DIR}/tests/kernels/gdn/plan/columns_544.cpp -DASSAY_SCORE_COLUMNS=32 code log)
if(code EQUAL 0)
    message(FATAL_ERROR "a plan of 544 columns compiles")
endif()
if(NOT log MATCHES "the accumulators take more than the 512 columns of tensor memory")
    message(FATAL_ERROR "refused for another reason: ${log}")
endif()
string(REGEX MATCHALL "error:" errors "${log}")
list(LENGTH errors count)
if(NOT count EQUAL 1)
    message(FATAL_ERROR "refused for ${count} reasons: ${log}")
endif()

file(WRITE ${WORK_DIR}/gdn_plan_ok.cpp "#include \"kernels/gdn/plan/tensor_memory.h\"\n#include \"kernels/gdn/plan/shared_memory.h\"\n"
    "using namespace assay::gdn::plan;\n"
    "int main() { return PrepareShared<128, 128>::kBytes + ReverseScanShared<128>::kBytes + GradientShared<128>::kBytes; }\n")
compile(${WORK_DIR}/gdn_plan_ok.cpp "" code log)
if(NOT code EQUAL 0)
    message(FATAL_ERROR "the plan does not compile: ${log}")
endif()
