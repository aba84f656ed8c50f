# ./run package: a Debian package with the binary, which needs no file of ours at run time, its changes and the examples.
# SPDX-License-Identifier: Apache-2.0
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # a package needs no tests
install(TARGETS tenon RUNTIME DESTINATION bin)
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
