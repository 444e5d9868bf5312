include(${CMAKE_CURRENT_LIST_DIR}/RaskEmbed.cmake)

# One folder of src/ is one module: every .c in it (and in its folders) but *_test.c and main*.c is
# compiled into the object library rask_<module>; every *_test.c becomes a test program of its own,
# named <module>.<file without _test>, linked with all modules.
# (Texts that are cut at the size of their buffer are meant: messages, names.)
set(RASK_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    -Wold-style-definition -Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef -Wvla
    -Wformat=2 -Wno-format-truncation -Wimplicit-fallthrough -Werror=return-type -Werror=incompatible-pointer-types
    -Wno-gnu-statement-expression -Wno-gnu-zero-variadic-macro-arguments)
if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
  list(APPEND RASK_WARNINGS -Wno-gnu-auto-type -Wno-unknown-warning-option)
endif()
if(RASK_WERROR)
  list(APPEND RASK_WARNINGS -Werror)
endif()
if(RASK_SANITIZE)
  add_compile_options(-fsanitize=${RASK_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${RASK_SANITIZE})
endif()

# Fuzzing is blind unless the modules count what runs, too.
if(RASK_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

function(rask_options target)
  target_compile_options(${target} PRIVATE ${RASK_WARNINGS})
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
endfunction()

function(rask_module name)
  set(dir ${CMAKE_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*.c)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.c$")
  list(FILTER sources EXCLUDE REGEX "(_test|/main[a-z_]*)\\.c$")
  rask_embed(sources ${name} ${dir}/page)
  if(sources)
    add_library(rask_${name} OBJECT ${sources})
    rask_options(rask_${name})
    target_compile_definitions(rask_${name} PRIVATE RASKI_BUILD RASK_VERSION="${PROJECT_VERSION}")
    target_include_directories(rask_${name} PRIVATE ${CMAKE_SOURCE_DIR}/include)
    target_include_directories(rask_${name} PRIVATE ${CMAKE_SOURCE_DIR}/src)
    foreach(lib UV YAML JANSSON ZLIB ZSTD)
      target_include_directories(rask_${name} SYSTEM PRIVATE ${${lib}_INCLUDE_DIRS})
    endforeach()
    set_property(GLOBAL APPEND PROPERTY RASK_OBJECTS rask_${name})
  endif()
  foreach(test IN LISTS tests)
    set_property(GLOBAL APPEND PROPERTY RASK_TESTS "${name}|${test}")
  endforeach()
endfunction()
