# Unit tests: each *_test.c beside the sources is one cmocka program, test <module>.<stem>.

# Runs tests of the thread sanitizer without address randomisation where the kernel's is too wide
# for it (it then dies with "unexpected memory mapping") and the environment allows that.
if(RASK_SANITIZE MATCHES "thread" AND EXISTS /proc/sys/vm/mmap_rnd_bits)
  file(STRINGS /proc/sys/vm/mmap_rnd_bits mmap_rnd_bits LIMIT_COUNT 1)
  if(mmap_rnd_bits GREATER 28)
    execute_process(COMMAND setarch -R true RESULT_VARIABLE setarch_result ERROR_QUIET)
    if(setarch_result EQUAL 0)
      set(CMAKE_CROSSCOMPILING_EMULATOR setarch -R)
    endif()
  endif()
endif()

# A cmocka program of one file, linked with all modules.
function(rask_unit_test target name file)
  add_executable(${target} ${file})
  rask_options(${target})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_compile_definitions(${target} PRIVATE RASK_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
      RASK_BINARY_DIR="${CMAKE_BINARY_DIR}" RASK_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${target} PRIVATE rask_all PkgConfig::CMOCKA)
  add_test(NAME ${name} COMMAND ${target})
  set_tests_properties(${name} PROPERTIES TIMEOUT 120)
  if(RASK_SANITIZE MATCHES "thread")
    set_tests_properties(${name} PROPERTIES
        ENVIRONMENT TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/tsan.supp)
  endif()
endfunction()

if(CMOCKA_FOUND)
  get_property(RASK_TESTS GLOBAL PROPERTY RASK_TESTS)
  foreach(entry IN LISTS RASK_TESTS)
    string(REPLACE "|" ";" parts "${entry}")
    list(GET parts 0 module)
    list(GET parts 1 file)
    get_filename_component(stem ${file} NAME_WE)
    string(REGEX REPLACE "_test$" "" stem ${stem})
    rask_unit_test(test_${module}_${stem} ${module}.${stem} ${file})
  endforeach()
else()
  message(STATUS "cmocka is missing: no unit tests")
endif()
