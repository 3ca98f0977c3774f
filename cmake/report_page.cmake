# SPDX-License-Identifier: Apache-2.0
# Joins the page of a report from analysis/web and dygraphs (Debian's libjs-dygraphs), as two files: what stands before
# the data of a run and what stands after it. analysis/report_assets.c puts them into the program.
set(SQUALL_DYGRAPHS /usr/share/javascript/dygraphs CACHE PATH "Folder with dygraph.min.js, the chart library of reports")
set(report_web ${CMAKE_CURRENT_SOURCE_DIR}/analysis/web)
set(report_dir ${CMAKE_CURRENT_BINARY_DIR}/report)

foreach(file dygraph.min.js dygraph.min.css src/extras/synchronizer.js)
	if(NOT EXISTS ${SQUALL_DYGRAPHS}/${file})
		message(FATAL_ERROR "The chart library of reports is missing: there is no ${SQUALL_DYGRAPHS}/${file}. "
			"Install Debian's libjs-dygraphs, or say where it is with -DSQUALL_DYGRAPHS=FOLDER.")
	endif()
endforeach()

# report_text(OUT FILE): the text without its source map, which would be another file.
function(report_text out file)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
	file(READ ${file} text)
	string(REGEX REPLACE "(//|/\\*)# sourceMappingURL=[^\n]*" "" text "${text}")
	set(${out} "${text}" PARENT_SCOPE)
endfunction()

report_text(dygraphs_css ${SQUALL_DYGRAPHS}/dygraph.min.css)
report_text(dygraphs_js ${SQUALL_DYGRAPHS}/dygraph.min.js)
report_text(synchronizer_js ${SQUALL_DYGRAPHS}/src/extras/synchronizer.js)
report_text(css ${report_web}/report.css)
report_text(head ${report_web}/head.html)
set(js)
foreach(part base loop cdf messages heat grid map pauses tables
		sortable findings matrix lanes flows rates capture page)
	report_text(text ${report_web}/${part}.js)
	string(APPEND js "${text}\n")
endforeach()

string(REPLACE "@STYLE@" "${dygraphs_css}\n${css}" head "${head}")
string(REPLACE "@DYGRAPHS@" "${dygraphs_js}\n${synchronizer_js}" head "${head}")
set(tail "</script>\n<script>\n${js}</script>\n</body>\n</html>\n")

foreach(half head tail)
	set(old)
	if(EXISTS ${report_dir}/report_${half}.html)
		file(READ ${report_dir}/report_${half}.html old)
	endif()
	if(NOT old STREQUAL "${${half}}") # else everything would be built again
		file(WRITE ${report_dir}/report_${half}.html "${${half}}")
	endif()
endforeach()

set_source_files_properties(analysis/report_assets.c PROPERTIES
	COMPILE_DEFINITIONS "REPORT_PAGE_DIR=\"${report_dir}\"" COMPILE_OPTIONS -fno-lto
	OBJECT_DEPENDS "${report_dir}/report_head.html;${report_dir}/report_tail.html")
