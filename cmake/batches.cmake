# What makes a build from nothing short; the release preset asks for it (TENON_BATCH).
# SPDX-License-Identifier: Apache-2.0

# tenon_batches(TARGET SOURCES...)
#
# Neighbours are compiled together, at most TENON_BATCH of them: headers and templates are paid for once a batch (see
# docs/development.md). A folder stays together as far as it goes, so that a new file moves only its neighbours. What
# files of a batch keep in anonymous namespaces must not share a name; the compiler says so. The property
# SKIP_UNITY_BUILD_INCLUSION keeps a file out.
function(tenon_batches target)
  if(NOT TENON_BATCH GREATER 1)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # g++ takes what a batch includes for headers.
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
