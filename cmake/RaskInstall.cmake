# make install PREFIX=...: program, libraries, headers, pkg-config file, manual pages.
install(TARGETS rask_static rask_shared
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET rask)
  install(TARGETS rask RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY include/rask DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
file(GLOB manual_pages CONFIGURE_DEPENDS docs/man/*.1)
install(FILES ${manual_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The prefix is known only when installing (cmake --install --prefix), so rask.pc is made then.
install(CODE "
  set(RASK_PREFIX \"\${CMAKE_INSTALL_PREFIX}\")
  set(RASK_LIBDIR \"${CMAKE_INSTALL_LIBDIR}\")
  set(RASK_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")
  set(RASK_VERSION \"${PROJECT_VERSION}\")
  # A program must find librask.so wherever it was installed, and messages about a mistake must name
  # the program's line, not the macro's: hence -isystem. /usr is searched as a system folder anyway.
  set(RASK_RPATH \"-Wl,-rpath,\\\${libdir}\")
  set(RASK_INCLUDE \"-isystem \\\${includedir}\")
  if(RASK_PREFIX STREQUAL \"/usr\")
    set(RASK_RPATH \"\")
    set(RASK_INCLUDE \"\")
  endif()
  configure_file(\"${CMAKE_SOURCE_DIR}/cmake/rask.pc.in\" \"${CMAKE_BINARY_DIR}/rask.pc\" @ONLY)")
install(FILES ${CMAKE_BINARY_DIR}/rask.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
