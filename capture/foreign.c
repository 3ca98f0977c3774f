/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/foreign_int.h"

#include <string.h>

static const struct {
	const char *magic;
	size_t n;
	const char *what;
} foreign[] = {
        {"\xfd"
         "7zXZ\0",
                6, "xz; expand it first: xz -dc FILE | squall ... -"},
        {"BZh", 3, "bzip2; expand it first: bzip2 -dc FILE | squall ... -"},
        {"\x04\x22\x4d\x18", 4, "lz4; expand it first: lz4 -dc FILE | squall ... -"},
        {"PK\x03\x04", 4, "a zip archive; unpack it first"},
        {"\x1f\x8b", 2, "gzip within gzip, or of another method; expand it first"},
        {"\x28\xb5\x2f\xfd", 4, "zstd within a compressed file; expand it first"},
        {"snoop\0\0", 8, "snoop; convert it: editcap -F pcapng FILE new.pcapng"},
        {"btsnoop\0", 8, "btsnoop, a Bluetooth capture"},
        {"GMBU", 4, "Network Monitor; convert it: editcap -F pcapng FILE new.pcapng"},
        {"RTSS", 4, "Network Monitor; convert it: editcap -F pcapng FILE new.pcapng"},
        {"TRSNIFF data", 12, "a Sniffer file; convert it: editcap -F pcapng FILE new.pcapng"},
        {"XCP\0", 4, "a Sniffer file; convert it: editcap -F pcapng FILE new.pcapng"},
        {"{", 1, "JSON"},
        {"<", 1, "XML or HTML"},
};

const char *foreign_format(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		if (n >= foreign[i].n && memcmp(p, foreign[i].magic, foreign[i].n) == 0)
			return foreign[i].what;
	}
	return NULL;
}
