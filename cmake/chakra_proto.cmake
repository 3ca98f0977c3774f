# SPDX-License-Identifier: Apache-2.0
# The C form of scenarios/chakra.proto, made in the build folder and linked into scenarios.
find_program(PROTOC_C protoc-c REQUIRED)
set(chakra_dir ${CMAKE_BINARY_DIR}/proto)
set(chakra_files ${chakra_dir}/scenarios/chakra.pb-c.c ${chakra_dir}/scenarios/chakra.pb-c.h)
file(MAKE_DIRECTORY ${chakra_dir}/scenarios)
add_custom_command(OUTPUT ${chakra_files}
	COMMAND ${PROTOC_C} --proto_path=${CMAKE_SOURCE_DIR} --c_out=${chakra_dir} scenarios/chakra.proto
	DEPENDS ${CMAKE_SOURCE_DIR}/scenarios/chakra.proto VERBATIM)
target_sources(scenarios PRIVATE ${chakra_files})
set_source_files_properties(${chakra_dir}/scenarios/chakra.pb-c.c PROPERTIES COMPILE_OPTIONS -w)
target_include_directories(scenarios SYSTEM PRIVATE ${chakra_dir})
