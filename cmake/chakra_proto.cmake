# SPDX-License-Identifier: Apache-2.0
# The C form of scenarios/imports/chakra.proto, made in the build folder and linked into scenarios/imports.
find_program(PROTOC_C protoc-c REQUIRED)
set(chakra_dir ${CMAKE_BINARY_DIR}/proto)
set(chakra_files ${chakra_dir}/scenarios/imports/chakra.pb-c.c
	${chakra_dir}/scenarios/imports/chakra.pb-c.h)
file(MAKE_DIRECTORY ${chakra_dir}/scenarios/imports)
add_custom_command(OUTPUT ${chakra_files}
	COMMAND ${PROTOC_C} --proto_path=${CMAKE_SOURCE_DIR} --c_out=${chakra_dir}
		scenarios/imports/chakra.proto
	DEPENDS ${CMAKE_SOURCE_DIR}/scenarios/imports/chakra.proto VERBATIM)
target_sources(scenarios_imports PRIVATE ${chakra_files})
set_source_files_properties(${chakra_dir}/scenarios/imports/chakra.pb-c.c PROPERTIES COMPILE_OPTIONS -w)
target_include_directories(scenarios_imports SYSTEM PRIVATE ${chakra_dir})
