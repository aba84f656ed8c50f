# Shortens a build from nothing; the release preset enables it (TENON_BATCH, TENON_TEST_PCH).
# SPDX-License-Identifier: Apache-2.0

# tenon_batches(TARGET SOURCES...)
#
# Compiles neighbouring files together, at most TENON_BATCH of them: headers and templates cost their time once for each
# batch (see docs/development.md). A folder stays together if possible, so that a new file moves only its neighbours. Names
# in anonymous namespaces of one batch must differ; the compiler reports a clash. The property SKIP_UNITY_BUILD_INCLUSION
# excludes a file.
function(tenon_batches target)
  if(NOT TENON_BATCH GREATER 1)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # g++ regards the files that a batch includes as headers.
  target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  set(folders)
  foreach(source ${ARGN})
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "folder_${folder}" folder)
    list(APPEND folders ${folder})
    list(APPEND sources_of_${folder} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(batch 0)
  set(filled 0)
  foreach(folder ${folders})
    list(LENGTH sources_of_${folder} count)
    math(EXPR sum "${filled} + ${count}")
    if(sum GREATER TENON_BATCH)
      math(EXPR batch "${batch} + 1")
      set(sum ${count})
    endif()
    math(EXPR parts "(${count} + ${TENON_BATCH} - 1) / ${TENON_BATCH}")
    set(index 0)
    foreach(source ${sources_of_${folder}})
      math(EXPR group "${batch} + ${index} * ${parts} / ${count}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
      math(EXPR index "${index} + 1")
    endforeach()
    set(batch ${group})
    set(filled ${sum})
  endforeach()
endfunction()

# tenon_test_sources(TARGET [OPTIMISED])
#
# Compiles the sources of tests with googletest, Boost.JSON and the common standard headers parsed once for all of them,
# and without optimisation, which costs little if the tested code is another target. OPTIMISED: with the optimisation of
# the build type.
function(tenon_test_sources target)
  if(ARGC GREATER 1)
    set(headers tenon_test_headers_optimised)
    set(options)
  else()
    set(headers tenon_test_headers)
    set(options -O0)
  endif()
  target_compile_options(${target} PRIVATE ${options})
  if(NOT TENON_TEST_PCH)
    return()
  endif()
  list(APPEND options -fpch-preprocess)  # for ccache
  if(NOT TARGET ${headers})
    find_package(GTest REQUIRED)
    set(source ${CMAKE_BINARY_DIR}/${headers}.cc)
    file(CONFIGURE OUTPUT ${source} CONTENT "// CMake wants a source beside the headers.\n")
    add_library(${headers} OBJECT ${source})
    target_link_libraries(${headers} PRIVATE tenon_flags GTest::gtest GTest::gmock)
    target_compile_options(${headers} PRIVATE ${options})
    target_precompile_headers(${headers} PRIVATE <algorithm> <chrono> <functional> <map> <memory> <optional> <set>
                              <string> <string_view> <variant> <vector> <boost/json.hpp> <gmock/gmock.h> <gtest/gtest.h>)
  endif()
  target_compile_options(${target} PRIVATE -fpch-preprocess)
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()
