/* SPDX-License-Identifier: BSD-3-Clause */
/* What the models can be asked for, checked in one place. */
#ifndef UH_MACHINE_EMULATED_MODEL_OPTIONS_H
#define UH_MACHINE_EMULATED_MODEL_OPTIONS_H

#include "machine/emulated_model.h"

/* Whether one level's geometry can be. Returns 0, or -EINVAL with the reason. */
int uh_cache_geometry_check(enum uh_cache_level level, const struct uh_cache_geometry *geometry,
			    struct uh_error *error);

/* The same for everything in `options`. */
int uh_model_options_check(const struct uh_model_options *options, struct uh_error *error);

/* "L1I", "L1D", "L2" or "L3". */
const char *uh_cache_level_name(enum uh_cache_level level);

struct uh_cache_geometry *uh_model_options_level(struct uh_model_options *options,
						 enum uh_cache_level level);

#endif
