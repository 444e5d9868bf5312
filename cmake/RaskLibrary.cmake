# The products: librask.so exports what the public headers mark RASK_API; librask.a and the program
# rask hold the same objects (the command line's are only in the program).
set(library_objects)
foreach(object IN LISTS RASK_OBJECTS)
  if(NOT object STREQUAL "rask_cli")
    list(APPEND library_objects $<TARGET_OBJECTS:${object}>)
  endif()
endforeach()

add_library(rask_static STATIC ${library_objects})
set_target_properties(rask_static PROPERTIES OUTPUT_NAME rask LINKER_LANGUAGE C)
target_link_libraries(rask_static PUBLIC ${RASK_LIBS})
target_include_directories(rask_static PUBLIC ${CMAKE_SOURCE_DIR}/include)

add_library(rask_shared SHARED ${library_objects})
set_target_properties(rask_shared PROPERTIES OUTPUT_NAME rask LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(rask_shared PRIVATE ${RASK_LIBS})
target_include_directories(rask_shared PUBLIC ${CMAKE_SOURCE_DIR}/include)
# What tests link: everything, with the private names visible.
add_library(rask_all STATIC)
foreach(object IN LISTS RASK_OBJECTS)
  target_sources(rask_all PRIVATE $<TARGET_OBJECTS:${object}>)
endforeach()
set_target_properties(rask_all PROPERTIES LINKER_LANGUAGE C)
target_link_libraries(rask_all PUBLIC ${RASK_LIBS})
target_include_directories(rask_all PUBLIC ${CMAKE_SOURCE_DIR}/include)

if(EXISTS ${CMAKE_SOURCE_DIR}/src/cli/main.c)
  add_executable(rask ${CMAKE_SOURCE_DIR}/src/cli/main.c)
  rask_options(rask)
  target_compile_definitions(rask PRIVATE RASK_VERSION="${PROJECT_VERSION}")
  target_include_directories(rask PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(rask PRIVATE rask_all)
endif()

# docs/configuration.md is written from the option table; a test tells when it is out of date.
add_executable(gen-configuration ${CMAKE_SOURCE_DIR}/src/config/main_gen_configuration.c)
rask_options(gen-configuration)
target_include_directories(gen-configuration PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(gen-configuration PRIVATE rask_all)
set(configuration_page ${CMAKE_SOURCE_DIR}/docs/configuration.md)
add_custom_target(configuration-page COMMAND gen-configuration ${configuration_page})
add_test(NAME config.configuration-page COMMAND gen-configuration --check ${configuration_page})
