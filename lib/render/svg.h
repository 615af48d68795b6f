/* SPDX-License-Identifier: BSD-3-Clause */
/* Small parts of SVG pictures. */
#ifndef UH_RENDER_SVG_H
#define UH_RENDER_SVG_H

#include "base/text.h"

/* A picture of `width` by `height` units on a white ground; end it with uh_svg_end(). */
void uh_svg_begin(struct uh_text *out, double width, double height);
void uh_svg_end(struct uh_text *out);

/* Text from outside: markup and control bytes are made harmless. `anchor` is start,
 * middle or end; `class` names one of the styles (name, number, small, title). */
void uh_svg_text(struct uh_text *out, double x, double y, const char *anchor, const char *class,
		 const char *text);

void uh_svg_rectangle(struct uh_text *out, double x, double y, double width, double height,
		      const char *colour);
void uh_svg_line(struct uh_text *out, double x1, double y1, double x2, double y2,
		 const char *colour);

#endif
