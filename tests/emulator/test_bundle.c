/* SPDX-License-Identifier: BSD-3-Clause */
/* Decoding of addresses, and which accesses one call can speak for: on machine code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "emulator/bundle.h"

#define MOST 16

static struct uh_bundle bundles[MOST];
static struct uh_bundling bundling;

/* Takes in a block of code; the number of its accessing instructions comes back. */
static uint16_t take(const uint8_t *code, const size_t *sizes)
{
	uint16_t number = 0;
	uint64_t address = 0x401000;

	memset(&bundling, 0, sizeof(bundling));
	bundling.bundles = bundles;
	for (; *sizes; code += *sizes, address += *sizes, sizes++) {
		struct uh_instruction decoded;

		assert_true(uh_decode(code, *sizes, address, &decoded));
		struct uh_bundle *bundle = uh_bundle_take(&bundling, number, &decoded);
		bool speaks_for_it = bundle && bundle->members > 1;
		number = (uint16_t)(number + (decoded.loads + decoded.stores && !speaks_for_it));
	}
	return number;
}

static void pushes_of_a_prologue_are_one(void **state)
{
	/* push rbp; push r15; push r14; push rbx; sub rsp,0x18; mov [rsp+8],rax */
	const uint8_t code[] = {0x55, 0x41, 0x57, 0x41, 0x56, 0x53, 0x48, 0x83,
				0xec, 0x18, 0x48, 0x89, 0x44, 0x24, 0x08};
	const size_t sizes[] = {1, 2, 2, 1, 4, 5, 0};

	(void)state;
	assert_int_equal(take(code, sizes), 1);
	assert_int_equal(bundling.count, 1);
	assert_int_equal(bundles[0].members, 5);
	assert_true(bundles[0].store);
	/* The first push is at the top; the last access 48 bytes and 8 below its end. */
	assert_int_equal(bundles[0].high, 7);
	assert_int_equal(bundles[0].low, -(3 * 8 + 0x18 - 8));
}

static void a_written_base_begins_anew(void **state)
{
	/* mov rax,[rbx]; mov rbx,[rbx+8]; mov rcx,[rbx+8]; mov rdx,[rbx+16] */
	const uint8_t code[] = {0x48, 0x8b, 0x03, 0x48, 0x8b, 0x5b, 0x08, 0x48,
				0x8b, 0x4b, 0x08, 0x48, 0x8b, 0x53, 0x10};
	const size_t sizes[] = {3, 4, 4, 4, 0};

	(void)state;
	assert_int_equal(take(code, sizes), 2);
	assert_int_equal(bundling.count, 2);
	assert_int_equal(bundles[0].members, 2);
	assert_int_equal(bundles[1].members, 2);
	assert_int_equal(bundles[1].leader, 1);
	assert_int_equal(bundles[1].high, 15);
}

static void a_half_written_base_begins_anew(void **state)
{
	/* mov rax,[rbx]; mov bl,1; mov rcx,[rbx+8] */
	const uint8_t code[] = {0x48, 0x8b, 0x03, 0xb3, 0x01, 0x48, 0x8b, 0x4b, 0x08};
	const size_t sizes[] = {3, 2, 4, 0};

	(void)state;
	assert_int_equal(take(code, sizes), 2);
	assert_int_equal(bundling.count, 2);
}

static void what_is_far_apart_stays_apart(void **state)
{
	/* mov rax,[rbx]; mov rcx,[rbx+40]; mov rdx,[rbx+48]; mov rsi,[rbx-8] */
	const uint8_t code[] = {0x48, 0x8b, 0x03, 0x48, 0x8b, 0x4b, 0x28, 0x48,
				0x8b, 0x53, 0x30, 0x48, 0x8b, 0x73, 0xf8};
	const size_t sizes[] = {3, 4, 4, 4, 0};

	(void)state;
	assert_int_equal(take(code, sizes), 3);
	assert_int_equal(bundling.count, 3);
	assert_int_equal(bundles[0].members, 2);
}

static void other_addresses_have_no_base(void **state)
{
	/* mov rax,[rbx+rcx]; mov rax,fs:[0]; add [rbx],rax; movaps xmm0,[rbx]; call rax; ret */
	const uint8_t code[] = {0x48, 0x8b, 0x04, 0x0b, 0x64, 0x48, 0x8b, 0x04, 0x25, 0x00, 0x00,
				0x00, 0x00, 0x48, 0x01, 0x03, 0x0f, 0x28, 0x03, 0xff, 0xd0, 0xc3};
	const size_t sizes[] = {4, 9, 3, 3, 2, 1, 0};

	(void)state;
	assert_int_equal(take(code, sizes), 6);
	assert_int_equal(bundling.count, 0);
}

static void globals_are_known_by_their_address(void **state)
{
	/* mov eax,[rip+0x100]; mov ecx,[rip+0xfe] (8 bytes on, from 6 bytes on) */
	const uint8_t code[] = {0x8b, 0x05, 0x00, 0x01, 0x00, 0x00,
				0x8b, 0x0d, 0x02, 0x01, 0x00, 0x00};
	const size_t sizes[] = {6, 6, 0};

	(void)state;
	assert_int_equal(take(code, sizes), 1);
	assert_int_equal(bundles[0].members, 2);
	assert_int_equal(bundles[0].low, 0);
	assert_int_equal(bundles[0].high, 8 + 3);
}

static void pops_follow_the_stack(void **state)
{
	/* pop rbx; pop r14; pop rsp (its own); pop rbp */
	const uint8_t code[] = {0x5b, 0x41, 0x5e, 0x5c, 0x5d};
	const size_t sizes[] = {1, 2, 1, 1, 0};

	(void)state;
	assert_int_equal(take(code, sizes), 3);
	assert_int_equal(bundles[0].members, 2);
	assert_int_equal(bundles[0].high, 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pushes_of_a_prologue_are_one),
	    cmocka_unit_test(a_written_base_begins_anew),
	    cmocka_unit_test(a_half_written_base_begins_anew),
	    cmocka_unit_test(what_is_far_apart_stays_apart),
	    cmocka_unit_test(other_addresses_have_no_base),
	    cmocka_unit_test(globals_are_known_by_their_address),
	    cmocka_unit_test(pops_follow_the_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
