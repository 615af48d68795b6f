/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting while a program runs: for its end, for deadlines, for signals and for
 * commands from outside. Deadlines are absolute, so intervals do not drift.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/control.h"
#include "cli/stat.h"
#include "count/frame.h"
#include "count/pinned.h"
#include "count/session.h"
#include "machine/machine.h"

struct watch {
	struct stat_run *run;
	struct control control;
	struct uh_pinned *pinned;
	int signals;
	sigset_t old_mask;
	struct sigaction old_pipe;
	uint64_t next_interval; /* absolute; 0: none */
	uint64_t next_delay;
	uint64_t next_timeout;
	unsigned interrupts;
	bool done;
	bool process_lives;
	struct uh_error *error;
};

static uint64_t now(const struct watch *watch)
{
	return uh_machine_clock(watch->run->machine);
}

/* ---- the program ---- */

static void set_program_status(struct stat_run *run, int status)
{
	if (WIFSIGNALED(status))
		run->program_status = CLI_SIGNAL + WTERMSIG(status);
	else
		run->program_status = WEXITSTATUS(status);
}

static int reap(struct watch *watch)
{
	int status;
	struct rusage usage;
	pid_t process = uh_session_process(watch->run->session);
	pid_t got = wait4(process, &status, WNOHANG, &usage);
	if (got != process || !(WIFEXITED(status) || WIFSIGNALED(status)))
		return 0;
	watch->process_lives = false;
	watch->done = true;
	set_program_status(watch->run, status);
	uh_sample_add(&watch->run->user,
		      (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6);
	uh_sample_add(&watch->run->system,
		      (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec * 1e-6);
	return uh_session_ended(watch->run->session, &usage, watch->error);
}

/* A limit was reached: the program is asked to end and waited for. */
static int end_program(struct watch *watch, int signal)
{
	while (watch->process_lives) {
		int status;
		struct rusage usage;
		pid_t process = uh_session_process(watch->run->session);
		(void)kill(process, signal);
		const struct timespec patience = {.tv_sec = 2};
		sigset_t child;
		sigemptyset(&child);
		sigaddset(&child, SIGCHLD);
		(void)sigtimedwait(&child, NULL, &patience);
		if (wait4(process, &status, WNOHANG, &usage) != process) {
			/* It does not listen to a polite word. */
			signal = SIGKILL;
			continue;
		}
		watch->process_lives = false;
		set_program_status(watch->run, status);
		int result = uh_session_ended(watch->run->session, &usage, watch->error);
		if (result)
			return result;
	}
	return 0;
}

/* ---- what can wake us ---- */

static void take_signals(struct watch *watch)
{
	struct signalfd_siginfo info;
	while (read(watch->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		int signal = (int)info.ssi_signo;
		if (signal == SIGCHLD)
			continue;
		watch->run->stop = true;
		watch->interrupts++;
		/* The program hears of it too and may end in its own way; a second signal
		 * does not wait for that. */
		if (!watch->process_lives || watch->interrupts > 1)
			watch->done = true;
		else if (info.ssi_code <= 0 || signal != SIGINT)
			(void)kill(uh_session_process(watch->run->session), signal);
	}
}

static void tell_unknown(const char *line)
{
	struct uh_text safe = {0};
	uh_text_safe(&safe, line);
	fprintf(stderr,
		"unhalted stat: --control: unknown command \"%.40s\" (known: enable, disable, "
		"ping, stop)\n",
		safe.data ? safe.data : "");
	uh_text_free(&safe);
}

static int take_commands(struct watch *watch)
{
	struct uh_session *session = watch->run->session;
	int status = 0;
	while (!status) {
		enum control_command command = control_next(&watch->control);
		switch (command) {
		case CONTROL_NOTHING:
			return 0;
		case CONTROL_CLOSED:
			control_close(&watch->control);
			return 0;
		case CONTROL_ENABLE:
			status = uh_session_enable(session, watch->error);
			break;
		case CONTROL_DISABLE:
			status = uh_session_disable(session, watch->error);
			break;
		case CONTROL_STOP:
			watch->run->stop = true;
			watch->done = true;
			break;
		case CONTROL_PING:
			break;
		case CONTROL_UNKNOWN:
			tell_unknown(watch->control.line);
			continue;
		}
		if (!status)
			control_answer(&watch->control);
	}
	return status;
}

static int one_interval(struct watch *watch)
{
	struct stat_run *run = watch->run;
	struct uh_frame frame;
	int status = uh_session_read(run->session, &frame, watch->error);
	if (status)
		return status;
	return stat_print_interval(run, &frame, watch->error);
}

static bool enough_intervals(const struct stat_run *run)
{
	return run->config->interval_count && run->intervals >= run->config->interval_count;
}

static int take_deadlines(struct watch *watch)
{
	uint64_t time = now(watch);
	int status = 0;
	if (watch->next_delay && time >= watch->next_delay) {
		watch->next_delay = 0;
		status = uh_session_enable(watch->run->session, watch->error);
	}
	if (watch->next_interval && time >= watch->next_interval && !status) {
		/* A deadline that was missed altogether is left out: its time is in the next. */
		uint64_t period = watch->run->config->interval;
		watch->next_interval += period * ((time - watch->next_interval) / period + 1);
		status = one_interval(watch);
		if (enough_intervals(watch->run))
			watch->done = true;
	}
	if (watch->next_timeout && time >= watch->next_timeout)
		watch->done = true;
	return status;
}

static uint64_t earliest(const struct watch *watch)
{
	uint64_t first = UINT64_MAX;
	const uint64_t deadlines[] = {watch->next_interval, watch->next_delay, watch->next_timeout};
	for (size_t i = 0; i < sizeof(deadlines) / sizeof(deadlines[0]); i++)
		if (deadlines[i] && deadlines[i] < first)
			first = deadlines[i];
	return first;
}

static int wait_once(struct watch *watch)
{
	struct pollfd files[3] = {
	    {.fd = watch->signals, .events = POLLIN},
	    {.fd = watch->control.commands, .events = POLLIN},
	    {.fd = watch->pinned ? uh_pinned_descriptor(watch->pinned) : -1, .events = POLLIN},
	};
	uint64_t deadline = earliest(watch);
	uint64_t time = deadline == UINT64_MAX ? 0 : now(watch);
	uint64_t left = deadline > time ? deadline - time : 0;
	const struct timespec patience = {.tv_sec = (time_t)(left / 1000000000u),
					  .tv_nsec = (long)(left % 1000000000u)};
	int got = ppoll(files, 3, deadline == UINT64_MAX ? NULL : &patience, NULL);
	if (got < 0 && errno != EINTR)
		return uh_fail_errno(watch->error, -errno, "cannot wait");
	int status = 0;
	if (files[0].revents)
		take_signals(watch);
	if (files[0].revents && watch->process_lives)
		status = reap(watch);
	if (files[1].revents && !status)
		status = take_commands(watch);
	if (files[2].revents)
		watch->done = true;
	return status ? status : take_deadlines(watch);
}

/* ---- putting it together ---- */

static int print_pinned(void *context, const struct uh_frame *frame)
{
	struct watch *watch = context;
	struct uh_frame copy;
	if (uh_frame_copy(frame, &copy))
		return uh_fail_memory(watch->error);
	int status = stat_print_interval(watch->run, &copy, watch->error);
	if (!status && enough_intervals(watch->run))
		status = -ECANCELED; /* the end that was asked for, not a failure */
	return status;
}

static int start_clocks(struct watch *watch)
{
	const struct stat_config *config = watch->run->config;
	uint64_t start = watch->run->session->started;
	watch->run->start = start;
	if (config->delay)
		watch->next_delay = start + config->delay;
	if (config->timeout)
		watch->next_timeout = start + config->timeout;
	if (!config->interval)
		return 0;
	bool processors = config->session.all_cpus || config->session.cpus;
	if (processors)
		return uh_pinned_start(watch->run->session, start, config->interval, print_pinned,
				       watch, &watch->pinned, watch->error);
	watch->next_interval = start + config->interval;
	return 0;
}

static void block_signals(struct watch *watch)
{
	sigset_t mask;
	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigprocmask(SIG_BLOCK, &mask, &watch->old_mask);
	/* Who reads the figures or the answers may go: that is an error to report, with the
	 * program looked after, not our death. */
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigaction(SIGPIPE, &ignore, &watch->old_pipe);
	watch->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int finish(struct watch *watch, int status)
{
	if (watch->pinned) {
		int result = uh_pinned_stop(watch->pinned, watch->error);
		if (!status && result != -ECANCELED)
			status = result;
	}
	if (watch->process_lives) {
		int result = end_program(watch, SIGTERM);
		if (!status)
			status = result;
	}
	control_close(&watch->control);
	if (watch->signals >= 0)
		close(watch->signals);
	sigaction(SIGPIPE, &watch->old_pipe, NULL);
	sigprocmask(SIG_SETMASK, &watch->old_mask, NULL);
	return status;
}

int stat_watch(struct stat_run *run, struct uh_error *error)
{
	struct watch watch = {
	    .run = run, .control = {.commands = -1, .answers = -1}, .error = error};
	int status = 0;
	if (run->config->control)
		status = control_open(run->config->control, &watch.control, error);
	if (status) {
		run->launching = false;
		return status;
	}
	block_signals(&watch);
	if (watch.signals < 0)
		status = uh_fail_errno(error, -errno, "cannot receive signals");
	if (!status)
		status = uh_session_start(run->session, error);
	run->launching = run->launching && status;
	watch.process_lives = uh_session_process(run->session) > 0 && !status;
	if (!status)
		status = start_clocks(&watch);
	while (!status && !watch.done)
		status = wait_once(&watch);
	return finish(&watch, status);
}
