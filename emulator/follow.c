/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/follow.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emulator/blocks.h"
#include "emulator/exec.h"
#include "emulator/qemu.h"
#include "emulator/region.h"

/* A page that the kernel clears in a forked child: the surest way to know one. */
static volatile uint8_t *same_process;

static void mark_process(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || madvise(page, 4096, MADV_WIPEONFORK)) {
		uh_note("forks cannot be told apart here: children are counted with their parents");
		return;
	}
	same_process = page;
	*same_process = 1;
}

static void on_system_return(uint64_t id, unsigned int vcpu, int64_t number, int64_t result)
{
	(void)id;
	bool forks = number == SYS_fork || number == SYS_vfork || number == SYS_clone ||
		     number == SYS_clone3;
	if (!forks || result != 0 || !same_process || *same_process)
		return;
	*same_process = 1;
	uint32_t count;
	const struct uh_block *blocks = uh_block_table(&count);
	uh_attach_child(vcpu, blocks, count);
}

static void on_system_call(uint64_t id, unsigned int vcpu, int64_t number, uint64_t a1, uint64_t a2,
			   uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
			   uint64_t a8)
{
	(void)id;
	(void)vcpu;
	(void)a6;
	(void)a7;
	(void)a8;
	if (!uh_attachment.shared->inherit && uh_attachment.lost)
		return; /* a child that nobody asked for may as well run natively */
	if (number == SYS_execve)
		uh_exec(AT_FDCWD, a1, a2, a3, 0);
	else if (number == SYS_execveat)
		uh_exec((int)a1, a2, a3, a4, (int)a5);
}

void uh_follow_register(uint64_t id)
{
	mark_process();
	qemu_plugin_register_vcpu_syscall_ret_cb(id, on_system_return);
	qemu_plugin_register_vcpu_syscall_cb(id, on_system_call);
}
