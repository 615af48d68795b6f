/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON is written straight into a text: no tree is built for a line that is printed once. */
#ifndef UH_RENDER_JSON_H
#define UH_RENDER_JSON_H

#include "base/text.h"

/* A quoted string. Any bytes are allowed: what is not UTF-8 becomes U+FFFD. */
void uh_json_string(struct uh_text *out, const char *string);

/* A number that reads back as the same double where `digits` is 17; null for what is
 * not finite. Whole numbers below 2^53 are written without a fraction. */
void uh_json_number(struct uh_text *out, double value, int digits);

#endif
