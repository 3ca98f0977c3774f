/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/stop.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

static atomic_bool stop;
static atomic_int first;
static atomic_bool silent;
static struct termios before_screen;
static atomic_bool on_screen, settings_changed;

static void leave_screen(void)
{
	static const char leave[] = STOP_LEAVE_SCREEN;

	if (settings_changed)
		(void)tcsetattr(STDIN_FILENO, TCSANOW, &before_screen); /* it ends anyway */
	if (on_screen && write(STDOUT_FILENO, leave, sizeof(leave) - 1) < 0)
		return; /* nowhere to write it */
}

static void on_signal(int number)
{
	static const char text[] =
	        "\nsquall: stopping; the results so far are being written; once more to kill\n";
	int none = 0;

	if (!atomic_compare_exchange_strong(&first, &none, number) && none == number) {
		leave_screen();
		(void)signal(number, SIG_DFL); /* cannot fail for these */
		(void)raise(number);
		return;
	}
	if (atomic_exchange(&stop, 1) || silent || on_screen)
		return;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		return; /* nowhere to say it */
}

atomic_bool *stop_on_signals(void)
{
	struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	(void)sigemptyset(&a.sa_mask);     /* cannot fail */
	(void)sigaction(SIGINT, &a, NULL); /* valid numbers: cannot fail */
	(void)sigaction(SIGTERM, &a, NULL);
	(void)sigaction(SIGHUP, &a, NULL);
	return &stop;
}

void stop_silently(void)
{
	atomic_store(&silent, true);
}

void stop_restores(bool screen, const struct termios *before)
{
	atomic_store(&settings_changed, false);
	if (before)
		before_screen = *before;
	atomic_store(&settings_changed, before != NULL);
	atomic_store(&on_screen, screen);
}
