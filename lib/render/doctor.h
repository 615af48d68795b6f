/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of `unhalted doctor`. */
#ifndef UH_RENDER_DOCTOR_H
#define UH_RENDER_DOCTOR_H

#include "count/doctor.h"

/*
 * For people: the summary, a line or a few for each finding, then what to do, each
 * thing once. Lines are at most `width` columns (at least 40) where words allow it; what
 * must be typed is never broken.
 */
void uh_doctor_text(const struct uh_diagnosis *diagnosis, size_t width, struct uh_text *out);

/*
 * For programs, one object a line: first {"schema": 1, "version", "summary", "findings"},
 * then {"topic", "state", "what", "why", "todo"} for each finding; why and todo may be null.
 */
void uh_doctor_json(const struct uh_diagnosis *diagnosis, struct uh_text *out);

#endif
