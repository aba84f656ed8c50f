# Compiler, linker and libraries: everything comes from Debian 12.
add_library(tenon_flags INTERFACE)
target_compile_options(tenon_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wnon-virtual-dtor
                       -Wno-missing-field-initializers -Werror)
target_compile_definitions(tenon_flags INTERFACE SPDLOG_COMPILED_LIB SPDLOG_FMT_EXTERNAL
                           TENON_VERSION="${PROJECT_VERSION}")
target_include_directories(tenon_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)

# Release builds hold no path of the machine that builds them: two folders give one binary (./run reproducible).
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # With these ccache identifies a precompiled header by the hash of its text and ignores its time.
  set(CMAKE_CXX_COMPILER_LAUNCHER env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

set(TENON_SANITIZE "" CACHE STRING "address, thread, or empty")
if(TENON_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(TENON_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()

find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(CURL REQUIRED)
find_package(ZLIB REQUIRED)

# tenon_libraries(RESULT NAMES...)
#
# The system libraries of these names: the shared ones, with TENON_STATIC the archives. Debian has no archive of what
# libcurl needs (krb5, GnuTLS) nor of spdlog and fmt: docs/decisions/0046-the-image-has-shared-libraries.md.
function(tenon_libraries result)
  set(found)
  foreach(name ${ARGN})
    if(TENON_STATIC)
      execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${name}.a OUTPUT_VARIABLE archive
                      OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
      if(NOT EXISTS ${archive})
        message(FATAL_ERROR "TENON_STATIC: there is no lib${name}.a; tools/install.sh image installs it")
      endif()
      list(APPEND found ${archive})
    else()
      list(APPEND found ${name})
    endif()
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()
tenon_libraries(TENON_YAML yaml)
tenon_libraries(TENON_RE2 re2)
tenon_libraries(TENON_PUGIXML pugixml)
set(TENON_LP Clp CoinUtils)
if(TENON_STATIC)
  tenon_libraries(TENON_LP Clp CoinUtils lapack blas gfortran quadmath bz2)
endif()
