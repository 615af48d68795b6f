/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/svg.h"

void uh_svg_begin(struct uh_text *out, double width, double height)
{
	uh_text_format(out,
		       "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
		       "width=\"%.0f\" height=\"%.0f\">\n",
		       width, height, width, height);
	uh_text_string(out, "<style>text{font-family:DejaVu Sans,Verdana,sans-serif;font-size:13px;"
			    "fill:#222}.title{font-size:15px;font-weight:bold}.number{"
			    "font-variant-numeric:tabular-nums}.small{font-size:11px;fill:#666}"
			    "</style>\n");
	uh_svg_rectangle(out, 0, 0, width, height, "#ffffff");
}

void uh_svg_end(struct uh_text *out)
{
	uh_text_string(out, "</svg>\n");
}

static void append_escaped(struct uh_text *out, const char *text)
{
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;
		if (byte == '<')
			uh_text_string(out, "&lt;");
		else if (byte == '>')
			uh_text_string(out, "&gt;");
		else if (byte == '&')
			uh_text_string(out, "&amp;");
		else if (byte == '"')
			uh_text_string(out, "&quot;");
		else if (byte < 0x20 || byte >= 0x7f)
			uh_text_char(out, '?');
		else
			uh_text_char(out, *text);
	}
}

void uh_svg_text(struct uh_text *out, double x, double y, const char *anchor, const char *class,
		 const char *text)
{
	uh_text_format(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">", x, y,
		       anchor, class);
	append_escaped(out, text);
	uh_text_string(out, "</text>\n");
}

void uh_svg_rectangle(struct uh_text *out, double x, double y, double width, double height,
		      const char *colour)
{
	uh_text_format(out,
		       "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
		       x, y, width, height, colour);
}

void uh_svg_line(struct uh_text *out, double x1, double y1, double x2, double y2,
		 const char *colour)
{
	uh_text_format(out,
		       "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n",
		       x1, y1, x2, y2, colour);
}
