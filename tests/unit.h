/* SPDX-License-Identifier: BSD-3-Clause */
/* cmocka, with the headers that it wants in front of it. */
#ifndef UH_TESTS_UNIT_H
#define UH_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
