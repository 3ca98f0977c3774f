/* SPDX-License-Identifier: Apache-2.0 */
/* Read by LeakSanitizer at the end of a fuzz target, where there is one. */

const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 loses a token list on some syntax errors, such as [''''x''. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libfyaml.so\n";
}
