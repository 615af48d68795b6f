/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/stat.h"

void uh_place_text(const struct uh_place *place, struct uh_text *out)
{
	switch (place->kind) {
	case UH_PLACE_TOTAL:
		break;
	case UH_PLACE_CPU:
		uh_text_format(out, "CPU%d", place->cpu);
		break;
	case UH_PLACE_CORE:
		uh_text_format(out, "S%d-D%d-C%d", place->socket, place->die, place->core);
		break;
	case UH_PLACE_DIE:
		uh_text_format(out, "S%d-D%d", place->socket, place->die);
		break;
	case UH_PLACE_SOCKET:
		uh_text_format(out, "S%d", place->socket);
		break;
	case UH_PLACE_NODE:
		uh_text_format(out, "N%d", place->node);
		break;
	case UH_PLACE_THREAD:
		uh_text_safe(out, place->name);
		uh_text_format(out, "-%d", (int)place->thread);
		break;
	}
}
