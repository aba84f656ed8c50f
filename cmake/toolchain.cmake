# Compiler, linker and libraries: everything comes from Debian 12.
add_library(tenon_flags INTERFACE)
target_compile_options(tenon_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wnon-virtual-dtor
                       -Wno-missing-field-initializers -Werror)
target_compile_definitions(tenon_flags INTERFACE SPDLOG_COMPILED_LIB SPDLOG_FMT_EXTERNAL
                           TENON_VERSION="${PROJECT_VERSION}")
target_include_directories(tenon_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)

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
find_package(PkgConfig REQUIRED)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
