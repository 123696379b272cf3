/* SPDX-License-Identifier: MIT */
/*
 * Everything comes from /proc, /sys and the compiler. Arm cores have no model name in /proc/cpuinfo, only a part
 * number; the ones that servers have are named here, others are printed as they are.
 */
#include "machine.h"

#include "team.h"

#include <bloom.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <ultrafilter.h>

static const struct {
    unsigned part;
    const char *name;
} arm_parts[] = {
    {0xd08, "Cortex-A72"},  {0xd0b, "Cortex-A76"},  {0xd0c, "Neoverse-N1"}, {0xd40, "Neoverse-V1"},
    {0xd49, "Neoverse-N2"}, {0xd4f, "Neoverse-V2"}, {0xd84, "Neoverse-V3"}, {0xd8e, "Neoverse-N3"},
};

/* The first line of a file, without its newline; empty when there is none. */
static void first_line(const char *path, char *out, size_t size)
{
    FILE *file = fopen(path, "r");
    out[0] = 0;
    if (file) {
        if (fgets(out, (int)size, file)) {
            out[strcspn(out, "\n")] = 0;
        }
        fclose(file);
    }
}

/* What follows "label : " in /proc/cpuinfo, the first time. */
static int cpuinfo(const char *label, char *out, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[512];
    int found = 0;
    while (file && !found && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (colon && strncmp(line, label, strlen(label)) == 0) {
            colon += 1 + strspn(colon + 1, " ");
            colon[strcspn(colon, "\n")] = 0;
            snprintf(out, size, "%s", colon);
            found = 1;
        }
    }
    if (file) {
        fclose(file);
    }
    return found;
}

static void describe_cpu(char *out, size_t size)
{
    char text[64];
    if (cpuinfo("model name", out, size)) {
        return;
    }
    if (!cpuinfo("CPU part", text, sizeof text)) {
        snprintf(out, size, "unknown");
        return;
    }
    unsigned part = (unsigned)strtoul(text, NULL, 0);
    snprintf(out, size, "part %#x", part);
    for (size_t i = 0; i < sizeof arm_parts / sizeof arm_parts[0]; i++) {
        if (arm_parts[i].part == part) {
            snprintf(out, size, "%s", arm_parts[i].name);
        }
    }
}

static void describe_caches(char *out, size_t size)
{
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; i < 8; i++) {
        char path[128], level[8], type[32], bytes[16];
        const char *base = "/sys/devices/system/cpu/cpu0/cache/index";
        snprintf(path, sizeof path, "%s%d/level", base, i);
        first_line(path, level, sizeof level);
        snprintf(path, sizeof path, "%s%d/type", base, i);
        first_line(path, type, sizeof type);
        snprintf(path, sizeof path, "%s%d/size", base, i);
        first_line(path, bytes, sizeof bytes);
        if (!level[0] || strcmp(type, "Instruction") == 0 || used >= size) {
            continue;
        }
        int wrote = snprintf(out + used, size - used, "%sL%s%s %s", used ? ", " : "", level,
                             strcmp(type, "Data") == 0 ? "d" : "", bytes);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

/* "always [madvise] never" -> "madvise" */
static void describe_huge_pages(char *out, size_t size)
{
    char line[128];
    first_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line);
    char *open = strchr(line, '[');
    char *close = open ? strchr(open, ']') : NULL;
    if (close) {
        *close = 0;
    }
    snprintf(out, size, "%s", close ? open + 1 : "unknown");
}

void machine_describe(struct machine *out)
{
    struct utsname name;
    struct sysinfo info;
    const char *tunables = getenv("GLIBC_TUNABLES");
    memset(out, 0, sizeof *out);
    describe_cpu(out->cpu, sizeof out->cpu);
    describe_caches(out->caches, sizeof out->caches);
    describe_huge_pages(out->huge_pages, sizeof out->huge_pages);
    out->cpus = team_cpus();
    out->memory_gib = sysinfo(&info) == 0 ? (double)info.totalram * info.mem_unit / (1 << 30) : 0;
    snprintf(out->tunables, sizeof out->tunables, "%s", tunables ? tunables : "");
#ifdef __clang__
    snprintf(out->compiler, sizeof out->compiler, "%s", __VERSION__);
#else
    snprintf(out->compiler, sizeof out->compiler, "gcc %s", __VERSION__);
#endif
    if (uname(&name) == 0) {
        snprintf(out->system, sizeof out->system, "%s %.60s, %.30s", name.sysname, name.release, name.machine);
    }
    snprintf(out->peers, sizeof out->peers, "ultrafilter %s, libbloom %s", uf_version(), bloom_version());
}
