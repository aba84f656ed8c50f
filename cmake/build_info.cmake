# tenon_build_info(SOURCE)
#
# Passes to one source what `tenon version` prints: the commit and the date of SOURCE_DATE_EPOCH, both as of the last run of
# CMake, which each new commit causes. Only this source is compiled again.
# SPDX-License-Identifier: Apache-2.0
function(tenon_build_info source)
  set(commit "")
  execute_process(COMMAND git -c safe.directory=${CMAKE_SOURCE_DIR} describe --always --dirty --abbrev=40 --exclude=*
                  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(EXISTS ${CMAKE_SOURCE_DIR}/.git/logs/HEAD)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/.git/logs/HEAD)
  endif()
  set(date "")
  if(DEFINED ENV{SOURCE_DATE_EPOCH})
    string(TIMESTAMP date "%Y-%m-%dT%H:%M:%SZ" UTC)
  endif()
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_DEFINITIONS
                              "TENON_COMMIT=\"${commit}\";TENON_DATE=\"${date}\"")
endfunction()
