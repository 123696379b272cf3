/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "refuse.h"

/* ---- what may fail, and how ---- */

static const int any_codes[] = {EIO, ENOMEM, EPERM, 0};
static const int write_codes[] = {EIO, ENOSPC, EDQUOT, EINTR, EFBIG, 0};
static const int sync_codes[] = {EIO, ENOSPC, EDQUOT, EINTR, 0};
static const int read_codes[] = {EIO, EINTR, 0};
static const int name_codes[] = {EIO, ENOSPC, EACCES, EPERM, EROFS, 0};
static const int open_codes[] = {EIO, EMFILE, ENFILE, EACCES, ENOSPC, EINTR, ENOMEM, 0};
static const int random_codes[] = {EIO, ENOSYS, EINTR, EAGAIN, 0};
static const int clone_codes[] = {EAGAIN, ENOMEM, EPERM, 0};
static const int lock_codes[] = {EINTR, ENOLCK, EIO, 0};
static const int memory_codes[] = {ENOMEM, 0};

enum about { NOTHING, AN_FD, A_PATH, AT_PATH, TWO_PATHS };

static const struct known {
    long number;
    const char *name;
    const int *codes;
    enum about about;
    int moves;
} known[] = {
    {SYS_write, "write", write_codes, AN_FD, 1},
    {SYS_pwrite64, "pwrite", write_codes, AN_FD, 1},
    {SYS_writev, "writev", write_codes, AN_FD, 0},
    {SYS_read, "read", read_codes, AN_FD, 1},
    {SYS_pread64, "pread", read_codes, AN_FD, 1},
    {SYS_fsync, "fsync", sync_codes, AN_FD, 0},
    {SYS_fdatasync, "fdatasync", sync_codes, AN_FD, 0},
    {SYS_ftruncate, "ftruncate", write_codes, AN_FD, 0},
    {SYS_close, "close", sync_codes, AN_FD, 0},
    {SYS_fchmod, "fchmod", name_codes, AN_FD, 0},
    {SYS_fchown, "fchown", name_codes, AN_FD, 0},
    {SYS_flock, "flock", lock_codes, AN_FD, 0},
    {SYS_fcntl, "fcntl", lock_codes, AN_FD, 0},
    {SYS_fstat, "fstat", any_codes, AN_FD, 0},
    {SYS_lseek, "lseek", any_codes, AN_FD, 0},
    {SYS_openat, "openat", open_codes, AT_PATH, 0},
    {SYS_unlinkat, "unlink", name_codes, AT_PATH, 0},
    {SYS_linkat, "link", name_codes, AT_PATH, 0},
    {SYS_renameat2, "renameat2", name_codes, AT_PATH, 0},
    {SYS_newfstatat, "stat", any_codes, AT_PATH, 0},
    {SYS_mkdirat, "mkdir", name_codes, AT_PATH, 0},
#ifdef SYS_renameat
    {SYS_renameat, "rename", name_codes, AT_PATH, 0},
#endif
#ifdef SYS_rename
    {SYS_rename, "rename", name_codes, A_PATH, 0},
    {SYS_unlink, "unlink", name_codes, A_PATH, 0},
    {SYS_link, "link", name_codes, A_PATH, 0},
    {SYS_open, "open", open_codes, A_PATH, 0},
    {SYS_stat, "stat", any_codes, A_PATH, 0},
    {SYS_lstat, "stat", any_codes, A_PATH, 0},
#endif
    {SYS_getrandom, "getrandom", random_codes, NOTHING, 0},
    {SYS_clone, "clone", clone_codes, NOTHING, 0},
#ifdef SYS_clone3
    {SYS_clone3, "clone3", clone_codes, NOTHING, 0},
#endif
    {SYS_mmap, "mmap", memory_codes, NOTHING, 0},

    {SYS_madvise, "madvise", memory_codes, NOTHING, 0},
    {SYS_mlock, "mlock", memory_codes, NOTHING, 0},
    /* Left alone: the C library ends a process when these fail, or they cannot. */
    {SYS_brk, "brk", NULL, NOTHING, 0},           /* says so in another way; malloc is refused elsewhere */
    {SYS_mprotect, "mprotect", NULL, NOTHING, 0}, /* sodium_free writes whether it worked or not */
    {SYS_exit, "exit", NULL, NOTHING, 0},
    {SYS_exit_group, "exit_group", NULL, NOTHING, 0},
    {SYS_futex, "futex", NULL, NOTHING, 0},
    {SYS_rt_sigreturn, "sigreturn", NULL, NOTHING, 0},
    {SYS_rt_sigprocmask, "sigprocmask", NULL, NOTHING, 0},
    {SYS_rt_sigaction, "sigaction", NULL, NOTHING, 0},
    {SYS_munmap, "munmap", NULL, NOTHING, 0},
    {SYS_getpid, "getpid", NULL, NOTHING, 0},
    {SYS_geteuid, "geteuid", NULL, NOTHING, 0},
    {SYS_umask, "umask", NULL, NOTHING, 0},
    {SYS_set_robust_list, "set_robust_list", NULL, NOTHING, 0},
    {SYS_getpgid, "getpgid", NULL, NOTHING, 0},
#ifdef SYS_rseq
    {SYS_rseq, "rseq", NULL, NOTHING, 0},
#endif
};

static const struct known *known_of(long number)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].number == number)
            return &known[i];
    return NULL;
}

const char *trace_name(long number)
{
    const struct known *call = known_of(number);
    return call ? call->name : NULL;
}

const int *trace_codes(long number)
{
    const struct known *call = known_of(number);
    return call ? call->codes : any_codes;
}

int trace_may_be_short(long number)
{
    const struct known *call = known_of(number);
    return call && call->moves;
}

/* ---- registers ---- */

#if defined(__aarch64__)
#define RESULT regs[0]
#define THIRD regs[2]
#elif defined(__x86_64__)
#define RESULT rax
#define THIRD rdx
#else
#error "the registers of this machine are not known here"
#endif

static void broken(const char *what)
{
    perror(what);
    abort();
}

static struct user_regs_struct get_registers(pid_t pid)
{
    struct user_regs_struct registers;
    struct iovec place = {&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &place))
        broken("PTRACE_GETREGSET");
    return registers;
}

static void set_registers(pid_t pid, struct user_regs_struct *registers)
{
    struct iovec place = {registers, sizeof *registers};
    if (ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &place))
        broken("PTRACE_SETREGSET");
}

/* The call becomes one that does not exist. */
static void skip_call(pid_t pid)
{
#if defined(__aarch64__)
    int none = -1;
    struct iovec place = {&none, sizeof none};
    if (ptrace(PTRACE_SETREGSET, pid, NT_ARM_SYSTEM_CALL, &place))
        broken("NT_ARM_SYSTEM_CALL");
#else
    struct user_regs_struct registers = get_registers(pid);
    registers.orig_rax = (unsigned long long)-1;
    set_registers(pid, &registers);
#endif
}

static void set_result(pid_t pid, long result)
{
    struct user_regs_struct registers = get_registers(pid);
    registers.RESULT = (unsigned long long)result;
    set_registers(pid, &registers);
}

static void halve(pid_t pid)
{
    struct user_regs_struct registers = get_registers(pid);
    if (registers.THIRD > 1)
        registers.THIRD /= 2;
    set_registers(pid, &registers);
}

/* ---- what a call is about ---- */

static void read_text(pid_t pid, uint64_t address, char *out, size_t capacity)
{
    struct iovec to = {out, capacity - 1}, from = {(void *)(uintptr_t)address, capacity - 1};
    ssize_t got = process_vm_readv(pid, &to, 1, &from, 1, 0);
    if (got <= 0) { /* near the end of a page */
        from.iov_len = 4096 - address % 4096;
        if (from.iov_len > capacity - 1)
            from.iov_len = capacity - 1;
        got = process_vm_readv(pid, &to, 1, &from, 1, 0);
    }
    out[got > 0 ? got : 0] = 0;
}

static int is_for_writing(pid_t pid, int fd)
{
    char path[64], line[128];
    unsigned flags = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", (int)pid, fd);
    FILE *info = fopen(path, "r");
    while (info && fgets(line, sizeof line, info))
        if (sscanf(line, "flags: %o", &flags) == 1)
            break;
    if (info)
        (void)fclose(info);
    return (flags & O_ACCMODE) != O_RDONLY;
}

static struct trace_call describe(pid_t pid, const struct __ptrace_syscall_info *info)
{
    struct trace_call call = {(long)info->entry.nr, -1, 0, ""};
    const struct known *about = known_of(call.number);
    char link[64];
    if (about && about->about == AN_FD) {
        call.fd = (int)info->entry.args[0];
        (void)snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)pid, call.fd);
        ssize_t size = readlink(link, call.path, sizeof call.path - 1);
        call.path[size > 0 ? size : 0] = 0;
        call.writes = is_for_writing(pid, call.fd);
    } else if (about && (about->about == A_PATH || about->about == AT_PATH)) {
        read_text(pid, info->entry.args[about->about == AT_PATH], call.path, sizeof call.path);
    }
    return call;
}

/* ---- running ---- */

struct run {
    const struct trace_plan *plan;
    void (*each)(void *list, const struct trace_call *call);
    void *list;
    struct trace_result result;
    int begun;
    pid_t first, struck; /* struck: whose call returns with the error next */
};

/* With threads a number may be another call than it was when they were listed, which fails in other ways. */
static int may_strike(const struct run *run, long number)
{
    const int *codes = trace_codes(number);
    if (run->plan->what == TRACE_SHORT)
        return trace_may_be_short(number);
    while (run->plan->what == TRACE_ERROR && codes && *codes && *codes != run->plan->code)
        codes++;
    return run->plan->what == TRACE_KILL || (codes && *codes);
}

static void strike(struct run *run, pid_t pid, const struct __ptrace_syscall_info *info)
{
    if (!may_strike(run, (long)info->entry.nr))
        return;
    run->result.fired = 1;
    run->result.struck = describe(pid, info);
    if (run->plan->what == TRACE_KILL)
        (void)kill(run->first, SIGKILL);
    else if (run->plan->what == TRACE_SHORT)
        halve(pid);
    else if (run->plan->what == TRACE_ERROR) {
        run->struck = pid;
        if (info->entry.nr != SYS_close) /* a close that fails has still closed */
            skip_call(pid);
    }
}

static int is_meant(const struct run *run, pid_t pid, const struct __ptrace_syscall_info *info)
{
    if (!run->plan->number)
        return 1;
    if ((long)info->entry.nr != run->plan->number)
        return 0;
    const struct trace_call call = describe(pid, info);
    return (call.fd < 0 || call.fd > 2) && strstr(call.path, run->plan->path);
}

static void at_call(struct run *run, pid_t pid)
{
    struct __ptrace_syscall_info info;
    memset(&info, 0, sizeof info);
    if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) < 0)
        return; /* it was killed meanwhile */
    if (info.op == PTRACE_SYSCALL_INFO_EXIT && run->struck == pid) {
        set_result(pid, -run->plan->code);
        run->struck = 0;
    }
    if (info.op != PTRACE_SYSCALL_INFO_ENTRY)
        return;
    if (!run->begun) {
        run->begun = info.entry.nr == SYS_getpgid && info.entry.args[0] == REFUSE_MARK;
        return;
    }
    if (!is_meant(run, pid, &info))
        return;
    run->result.calls++;
    if (run->each) {
        struct trace_call call = describe(pid, &info);
        run->each(run->list, &call);
    }
    if (run->plan->what != TRACE_NOTHING && run->result.calls == run->plan->at)
        strike(run, pid, &info);
}

static pid_t begin(void (*start)(void *arg), void *arg)
{
    int status;
    pid_t pid = fork();
    if (pid < 0)
        broken("fork");
    if (!pid) {
        (void)ptrace(PTRACE_TRACEME, 0, 0, 0);
        (void)raise(SIGSTOP);
        start(arg);
        _exit(126);
    }
    if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
        ptrace(PTRACE_SETOPTIONS, pid, 0,
               PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                   PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC))
        broken("PTRACE_SETOPTIONS");
    (void)ptrace(PTRACE_SYSCALL, pid, 0, 0);
    return pid;
}

/* Signals that the program is to have; those of ptrace itself are ours. */
static int passed_on(int status)
{
    const int signal = WSTOPSIG(status);
    return status >> 16 || signal == SIGTRAP || signal == SIGSTOP ? 0 : signal;
}

struct trace_result trace_run(void (*start)(void *arg), void *arg, const struct trace_plan *plan,
                              void (*each)(void *list, const struct trace_call *call), void *list)
{
    struct run run = {.plan = plan, .each = each, .list = list};
    int status;
    run.first = begin(start, arg);
    for (pid_t pid; (pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR;) {
        if (pid < 0)
            continue;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (pid == run.first)
                run.result.status = status;
            continue;
        }
        const int call = WSTOPSIG(status) == (SIGTRAP | 0x80);
        if (call)
            at_call(&run, pid);
        (void)ptrace(PTRACE_SYSCALL, pid, 0, call ? 0 : passed_on(status));
    }
    return run.result;
}
