# ./run package: a Debian package with the binary, which needs no file of ours at run time, its changes and the examples.
# SPDX-License-Identifier: Apache-2.0
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # a package needs no tests
install(TARGETS tenon RUNTIME DESTINATION bin)
# kubectl runs `kubectl tenon` by this name.
install(CODE "file(CREATE_LINK tenon \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin/kubectl-tenon\" SYMBOLIC)")
set(pages ${CMAKE_BINARY_DIR}/pages)
add_custom_command(OUTPUT ${pages}/stamp
                   COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages}
                   COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}/man
                   COMMAND tenon man ${pages}/man
                   COMMAND gzip -9n -r ${pages}/man
                   COMMAND tenon completion bash > ${pages}/tenon
                   COMMAND tenon completion zsh > ${pages}/_tenon
                   COMMAND tenon completion fish > ${pages}/tenon.fish
                   COMMAND ${CMAKE_COMMAND} -E touch ${pages}/stamp
                   DEPENDS tenon VERBATIM)
add_custom_target(manual_pages DEPENDS ${pages}/stamp)
install(DIRECTORY ${pages}/man/ DESTINATION share/man/man1)
install(FILES ${pages}/tenon DESTINATION share/bash-completion/completions)
install(FILES ${pages}/_tenon DESTINATION share/zsh/vendor-completions)
install(FILES ${pages}/tenon.fish DESTINATION share/fish/vendor_completions.d)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/doc/tenon RENAME copyright)
install(FILES ${CMAKE_SOURCE_DIR}/CHANGELOG.md DESTINATION share/doc/tenon)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples DESTINATION share/doc/tenon)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tenon)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The Tenon authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "node autoscaler for Kubernetes that speaks Karpenter's API")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "ca-certificates, tzdata")  # read at run time
include(CPack)
