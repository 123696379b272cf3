/* SPDX-License-Identifier: MIT */
/* core/mem: sizes that overflow, alignment, zeros, and what the caller's allocator gets to see. */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "counting.h"
#include "mem.h"

enum { HUGE = 2 << 20 };

static const size_t sizes[] = {1, 63, 64, 65, 4095, 4096, 100000, HUGE - 1, HUGE, HUGE + 1, 3 * HUGE + 12345};

enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void test_overflowing_sizes_are_refused(void **state)
{
    static const struct {
        size_t count, size;
    } wrong[] = {{SIZE_MAX, 2},
                 {2, SIZE_MAX},
                 {SIZE_MAX / 8 + 1, 8},
                 {SIZE_MAX, SIZE_MAX},
                 {(size_t)PTRDIFF_MAX + 1, 1},
                 {(size_t)PTRDIFF_MAX / 8 + 1, 8}};
    struct counting counting = {0};
    const struct mem system = {{NULL, NULL, NULL, NULL}}, counted = {counting_allocator(&counting)};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_null(mem_alloc(&system, wrong[i].count, wrong[i].size));
        assert_null(mem_alloc_dirty(&system, wrong[i].count, wrong[i].size));
        assert_null(mem_alloc(&counted, wrong[i].count, wrong[i].size));
    }
    assert_int_equal(counting.calls, 0); /* the hook is not even asked */
}

/* Too much for any machine, but not for arithmetic. Sanitizers stop the program at such a request of malloc, and none
 * is made: blocks this large are mapped. */
static void test_refusal_of_the_system_is_null(void **state)
{
    const struct mem system = {{NULL, NULL, NULL, NULL}};
    (void)state;
    assert_null(mem_alloc(&system, (size_t)PTRDIFF_MAX - HUGE, 1));
    assert_null(mem_alloc(&system, (size_t)1 << 50, 1));
}

static int all_zero(const unsigned char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (memory[i])
            return 0;
    return 1;
}

/* Twice each, so that the second may get what the first left behind. */
static void check_blocks(const struct mem *mem)
{
    for (size_t i = 0; i < 2 * SIZES; i++) {
        size_t bytes = sizes[i % SIZES];
        unsigned char *memory = mem_alloc(mem, bytes, 1);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 64, 0);
        assert_true(all_zero(memory, bytes));
        memset(memory, 0xff, bytes);
        mem_free(mem, memory, bytes, 1);
    }
}

static void test_blocks_are_aligned_and_zero(void **state)
{
    struct counting counting = {0};
    const struct mem system = {{NULL, NULL, NULL, NULL}}, counted = {counting_allocator(&counting)};
    (void)state;
    check_blocks(&system);
    check_blocks(&counted);
    assert_int_equal(counting.calls, 2 * SIZES);
    assert_true(counting_is_clean(&counting));
}

/* Where the caller has zeros, nobody else clears; where any bytes will do, they are not asked for. */
static void test_zeros_of_the_caller(void **state)
{
    struct counting counting = {0};
    const struct mem mem = {counting_zeroing_allocator(&counting)};
    (void)state;
    check_blocks(&mem);
    assert_true(counting.zeroed >= SIZES && counting.calls == 2 * SIZES);
    size_t zeroed = counting.zeroed;
    mem_free(&mem, mem_alloc_dirty(&mem, 10, 10), 10, 10);
    assert_int_equal(counting.zeroed, zeroed);
    assert_null(mem_alloc(&mem, SIZE_MAX, 2));
    assert_null(mem_alloc(&mem, SIZE_MAX / 2 + 1, 1));
    counting.fail_at = counting.calls + 1;
    assert_null(mem_alloc(&mem, 10, 10));
    void *none = mem_alloc(&mem, 0, 8);
    assert_non_null(none);
    mem_free(&mem, none, 0, 8);
    assert_true(!counting.blocks && !counting.wrong);
}

/* Not alone: memory that could not be released. */
static void test_zeros_need_a_release(void **state)
{
    struct counting counting = {0};
    uf_context ctx = UF_CONTEXT_INIT;
    uf_spec spec = spec_of("bloom:n=1000");
    uf_filter *filter = NULL;
    uf_error why;
    (void)state;
    ctx.allocator.alloc_zeroed = counting_zeroing_allocator(&counting).alloc_zeroed;
    assert_refused(UF_EINVAL, uf_build(&spec, NULL, 0, &ctx, &filter, &why), &why);
    ctx.allocator = counting_zeroing_allocator(&counting);
    assert_status(UF_OK, uf_build(&spec, NULL, 0, &ctx, &filter, &why), &why);
    assert_true(counting.zeroed > 0);
    uf_free(filter);
    assert_true(counting_is_clean(&counting));
}

static void test_large_blocks_are_aligned_for_huge_pages(void **state)
{
    const struct mem system = {{NULL, NULL, NULL, NULL}};
    (void)state;
    for (size_t bytes = HUGE; bytes < HUGE + 8193; bytes += 4095) {
        void *memory = mem_alloc_dirty(&system, 1, bytes);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % HUGE, 0);
        memset(memory, 1, bytes);
        mem_free(&system, memory, 1, bytes);
    }
}

/* Where the next mapping begins, from a huge page on. */
static size_t shift = SIZE_MAX; /* SIZE_MAX: where the system likes */

void *__real_mmap64(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    if (shift == SIZE_MAX)
        return __real_mmap64(at, bytes, protection, flags, fd, offset);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
    unsigned char *all = __real_mmap64(NULL, whole + 2 * HUGE, protection, flags, -1, 0);
    assert_ptr_not_equal(all, MAP_FAILED);
    size_t before = (HUGE - (uintptr_t)all % HUGE) % HUGE + shift;
    if (before)
        assert_int_equal(munmap(all, before), 0);
    assert_int_equal(munmap(all + before + whole, 2 * HUGE - before), 0);
    shift = SIZE_MAX;
    return all + before;
}

static size_t mapped_pages(void)
{
    char text[32] = "";
    int fd = open("/proc/self/statm", O_RDONLY);
    assert_true(fd >= 0 && read(fd, text, sizeof text - 1) > 0);
    close(fd);
    return strtoul(text, NULL, 10);
}

/* Wherever a mapping begins, what is not needed of it is given back. */
static void test_nothing_around_large_blocks_stays(void **state)
{
    static const size_t shifts[] = {0, 65536, HUGE - 65536};
    const struct mem system = {{NULL, NULL, NULL, NULL}};
    const size_t bytes = HUGE + 65536 - 5;
    (void)state;
    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
        const size_t before = mapped_pages();
        shift = shifts[i];
        unsigned char *memory = mem_alloc(&system, bytes, 1);
        assert_true(memory && shift == SIZE_MAX);
        assert_int_equal((uintptr_t)memory % HUGE, 0);
        assert_true(all_zero(memory, bytes));
        assert_int_equal((mapped_pages() - before) * (size_t)sysconf(_SC_PAGESIZE), HUGE + 65536);
        mem_free(&system, memory, bytes, 1);
        assert_int_equal(mapped_pages(), before);
    }
}

static void test_hook_gets_its_sizes_back(void **state)
{
    struct counting counting = {0};
    const struct mem mem = {counting_allocator(&counting)};
    (void)state;
    void *a = mem_alloc(&mem, 3, 40), *b = mem_alloc_dirty(&mem, 7, 8);
    assert_int_equal(counting.blocks, 2);
    assert_int_equal(counting.live, 3 * 40 + 7 * 8);
    memset(b, 0xff, 7 * 8);
    mem_free(&mem, a, 3, 40);
    mem_free(&mem, b, 7, 8);
    mem_free(&mem, NULL, 5, 5);
    assert_true(counting_is_clean(&counting));
}

/* Nothing is still a block of its own. */
static void test_no_bytes(void **state)
{
    struct counting counting = {0};
    const struct mem system = {{NULL, NULL, NULL, NULL}}, counted = {counting_allocator(&counting)};
    (void)state;
    void *a = mem_alloc(&system, 0, 8), *b = mem_alloc(&counted, 8, 0);
    assert_true(a && b);
    mem_free(&system, a, 0, 8);
    mem_free(&counted, b, 8, 0);
    assert_true(!counting.blocks && !counting.wrong);
}

static void test_hook_may_refuse(void **state)
{
    struct counting counting = {.fail_at = 1};
    const struct mem mem = {counting_allocator(&counting)};
    (void)state;
    assert_null(mem_alloc(&mem, 10, 10));
    counting.fail_at = 2;
    assert_null(mem_alloc_dirty(&mem, 10, 10));
    assert_true(counting_is_clean(&counting));
}

static unsigned char arena[256] __attribute__((aligned(64)));

static void *from_arena(void *arg, size_t bytes, size_t align)
{
    (void)arg, (void)align;
    return bytes <= sizeof arena ? arena : NULL;
}

/* Memory that nobody takes back is wiped all the same. */
static void test_hook_without_release(void **state)
{
    const struct mem mem = {{from_arena, NULL, NULL, NULL}};
    (void)state;
    unsigned char *memory = mem_alloc(&mem, 1, sizeof arena);
    assert_ptr_equal(memory, arena);
    memset(memory, 1, sizeof arena);
    mem_free(&mem, memory, 1, sizeof arena);
    assert_true(all_zero(arena, sizeof arena));
}

static void test_same_memory(void **state)
{
    struct counting counting = {0}, other = {0};
    const struct mem one = {counting_allocator(&counting)}, two = {counting_allocator(&other)};
    struct mem lent = one;
    (void)state;
    lent.hook.release = NULL;
    const struct mem system = {{NULL, NULL, NULL, NULL}}, again = {counting_allocator(&counting)};
    assert_true(mem_same(&one, &again) && mem_same(&system, &system));
    assert_false(mem_same(&one, &system)); /* another alloc */
    assert_false(mem_same(&one, &lent));   /* another release */
    assert_false(mem_same(&one, &two));    /* another arg */
}

/* The control: an allocator that notices nothing would make every test of leaks worthless. */
static void test_counting_notices(void **state)
{
    struct counting counting = {0};
    uf_allocator hook = counting_allocator(&counting);
    unsigned char *a = hook.alloc(hook.arg, 100, 64);
    (void)state;
    assert_false(counting_is_clean(&counting)); /* a leak */
    hook.release(hook.arg, a, 99);
    assert_int_equal(counting.wrong, 1); /* another size */
    hook.release(hook.arg, a, 100);
    assert_int_equal(counting.unwiped, 1); /* still full of rubbish */
    assert_int_equal(counting.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overflowing_sizes_are_refused),
        cmocka_unit_test(test_refusal_of_the_system_is_null),
        cmocka_unit_test(test_blocks_are_aligned_and_zero),
        cmocka_unit_test(test_zeros_of_the_caller),
        cmocka_unit_test(test_zeros_need_a_release),
        cmocka_unit_test(test_large_blocks_are_aligned_for_huge_pages),
        cmocka_unit_test(test_nothing_around_large_blocks_stays),
        cmocka_unit_test(test_hook_gets_its_sizes_back),
        cmocka_unit_test(test_no_bytes),
        cmocka_unit_test(test_hook_may_refuse),
        cmocka_unit_test(test_hook_without_release),
        cmocka_unit_test(test_same_memory),
        cmocka_unit_test(test_counting_notices),
    };
    return cmocka_run_group_tests_name("mem", tests, NULL, NULL);
}
