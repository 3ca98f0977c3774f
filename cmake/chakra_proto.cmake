# SPDX-License-Identifier: Apache-2.0
# The C form of scenarios/chakra.proto, made in the build folder and linked into scenarios.
find_program(PROTOC_C protoc-c REQUIRED)
set(chakra_dir ${CMAKE_BINARY_DIR}/proto)
file(MAKE_DIRECTORY ${chakra_dir})
add_custom_command(OUTPUT ${chakra_dir}/chakra.pb-c.c ${chakra_dir}/chakra.pb-c.h
	COMMAND ${PROTOC_C} --proto_path=${CMAKE_SOURCE_DIR}/scenarios --c_out=${chakra_dir} chakra.proto
	DEPENDS ${CMAKE_SOURCE_DIR}/scenarios/chakra.proto VERBATIM)
target_sources(scenarios PRIVATE ${chakra_dir}/chakra.pb-c.c ${chakra_dir}/chakra.pb-c.h)
set_source_files_properties(${chakra_dir}/chakra.pb-c.c PROPERTIES COMPILE_OPTIONS -w)
target_include_directories(scenarios SYSTEM PRIVATE ${chakra_dir})
