/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"

static double relative_variance(const struct uh_sample *sample)
{
	double error = uh_sample_error(sample) / sample->mean;
	return error * error;
}

static void find_interval(struct uh_comparison *comparison)
{
	const struct uh_sample *a = &comparison->a;
	const struct uh_sample *b = &comparison->b;
	if (a->count < 2 || b->count < 2 || a->mean == 0 || b->mean == 0)
		return;
	double va = relative_variance(a);
	double vb = relative_variance(b);
	double half = 0;
	if (va + vb > 0) {
		double freedom =
		    (va + vb) * (va + vb) /
		    (va * va / (double)(a->count - 1) + vb * vb / (double)(b->count - 1));
		half = uh_student_quantile(0.975, freedom) * sqrt(va + vb) * comparison->ratio;
	}
	comparison->known_interval = true;
	comparison->low = comparison->ratio - half;
	comparison->high = comparison->ratio + half;
	comparison->significant = comparison->low > 1 || comparison->high < 1;
}

void uh_comparison_finish(struct uh_comparison *comparison)
{
	double a = comparison->a.mean;
	double b = comparison->b.mean;
	comparison->ratio = a != 0 ? b / a : b != 0 ? INFINITY : 1;
	comparison->low = -INFINITY;
	comparison->high = INFINITY;
	comparison->known_interval = false;
	comparison->significant = false;
	if (comparison->status > UH_PARTLY_COUNTED)
		return;
	bool single = comparison->a.count == 1 && comparison->b.count == 1;
	bool deterministic =
	    comparison->provenance == UH_EMULATED || comparison->provenance == UH_MODELLED;
	comparison->exact = single && deterministic;
	if (comparison->exact)
		comparison->significant = a != b;
	else
		find_interval(comparison);
}

static double change(const struct uh_comparison *comparison)
{
	if (comparison->status > UH_PARTLY_COUNTED)
		return -1;
	double size = comparison->ratio > 0 ? fabs(log(comparison->ratio)) : INFINITY;
	return size;
}

static int by_change(const void *left, const void *right)
{
	const struct uh_comparison *a = left;
	const struct uh_comparison *b = right;
	if (a->significant != b->significant)
		return b->significant - a->significant;
	double x = change(a);
	double y = change(b);
	return (x < y) - (x > y);
}

void uh_comparison_sort(struct uh_comparison *comparisons, size_t count)
{
	qsort(comparisons, count, sizeof(*comparisons), by_change);
}

static int bad_condition(const char *text, struct uh_error *error)
{
	return uh_fail(error, -EINVAL,
		       "\"%s\" is not a condition such as instructions>+1%% or page-faults<-100",
		       text);
}

int uh_condition_parse(const char *text, struct uh_condition *condition, struct uh_error *error)
{
	char limit[64];
	size_t length = strcspn(text, "<>");
	*condition = (struct uh_condition){.above = text[length] == '>'};
	size_t name = length;
	while (name && text[name - 1] == ' ')
		name--;
	if (!name || name >= sizeof(condition->event) || !text[length])
		return bad_condition(text, error);
	memcpy(condition->event, text, name);
	const char *value = text + length + 1;
	value += strspn(value, " ");
	value += *value == '+' && value[1] != '-';
	if (snprintf(limit, sizeof(limit), "%s", value) >= (int)sizeof(limit))
		return bad_condition(text, error);
	size_t used = strlen(limit);
	if (used && limit[used - 1] == '%') {
		condition->relative = true;
		limit[used - 1] = '\0';
	}
	if (!uh_parse_double(limit, &condition->limit))
		return bad_condition(text, error);
	if (condition->relative)
		condition->limit /= 100;
	return 0;
}

bool uh_condition_holds(const struct uh_condition *condition,
			const struct uh_comparison *comparison)
{
	if (!comparison->significant)
		return false;
	double moved =
	    condition->relative ? comparison->ratio - 1 : comparison->b.mean - comparison->a.mean;
	return condition->above ? moved > condition->limit : moved < condition->limit;
}
