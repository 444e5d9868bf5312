# rask_embed(<variable> <module> <folder>): files of a folder become C texts, so that the program
# needs no files of its own: name.ext is raski_embedded_<module>_<name>_<ext>. Appends the generated
# sources to the variable.
function(rask_embed variable module folder)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.css ${folder}/*.js)
  set(sources ${${variable}})
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME)
    string(MAKE_C_IDENTIFIER "raski_embedded_${module}_${name}" symbol)
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
    set(source ${CMAKE_BINARY_DIR}/embedded/${symbol}.c)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"/* Made by cmake/RaskEmbed.cmake. */
extern const char @symbol@[];
const char @symbol@[] = {
@bytes@0};
")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    list(APPEND sources ${source})
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()
