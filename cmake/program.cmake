# SPDX-License-Identifier: MIT
# uf_program(name folder source...): a program whose commands are the rows of folder/commands.def, each with a file of
# its name beside it. Man pages and completions come out of the program's own tables.
function(uf_program name folder)
  set(table ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/commands.def)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} commands REGEX "^COMMAND\\([a-z]+\\)$")
  list(TRANSFORM commands REPLACE "^COMMAND\\((.+)\\)$" "\\1")
  list(TRANSFORM commands REPLACE "(.+)" "${folder}/\\1.c" OUTPUT_VARIABLE sources)
  add_executable(${name} ${sources} ${ARGN})
  target_include_directories(${name} PRIVATE ${folder})
  install(TARGETS ${name} DESTINATION ${CMAKE_INSTALL_BINDIR})

  # A program for another machine cannot be run here.
  if(CMAKE_CROSSCOMPILING)
    return()
  endif()
  uf_generate(${name} ${name}.1 ${CMAKE_INSTALL_MANDIR}/man1 ${name}.1 man)
  foreach(command IN LISTS commands)
    uf_generate(${name} ${name}-${command}.1 ${CMAKE_INSTALL_MANDIR}/man1 ${name}-${command}.1 man ${command})
  endforeach()
  uf_generate(${name} ${name}.bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions ${name} bash)
  uf_generate(${name} ${name}.zsh ${CMAKE_INSTALL_DATADIR}/zsh/site-functions _${name} zsh)
  uf_generate(${name} ${name}.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d ${name}.fish fish)
  get_property(generated GLOBAL PROPERTY ${name}_generated)
  add_custom_target(${name}_documents ALL DEPENDS ${generated})
endfunction()

# uf_generate(program file folder installed-name what...): a file that the program writes about itself.
function(uf_generate program file folder name)
  add_custom_command(OUTPUT ${file} COMMAND ${program} --generate ${ARGN} > ${file} DEPENDS ${program} VERBATIM)
  set_property(GLOBAL APPEND PROPERTY ${program}_generated ${CMAKE_CURRENT_BINARY_DIR}/${file})
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${file} DESTINATION ${folder} RENAME ${name})
endfunction()
