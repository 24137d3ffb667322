/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory over time, as a chart in SVG: a row for each slot with a bar from its
 * first step to its last, in it a cell for each step that writes there; below, the
 * bytes held at each step, with the peak and the bound that no plan goes below.
 * Long plans are summarised: the largest slots, the most bytes within each
 * stretch of steps. */
#include <candela/plan/print-private.h>

#include <math.h>
#include <string.h>

#define LEFT 150.0
#define RIGHT 24.0
#define ROW 22.0
#define BAR 16.0
#define CURVE 110.0
#define MAX_STEP_WIDTH 56.0
#define CHART_WIDTH 960.0
#define MIN_CHART_WIDTH 360.0
#define MAX_ROWS 40
#define MAX_CELLS 5000
#define MAX_POINTS 1000

typedef struct
{
  const CandelaPlan *plan;
  GString *svg;
  double step_width; /* of one step */
  double width;      /* of all of them */
  double y;          /* where the next part begins */
  guint32 *rows;     /* of each slot; CANDELA_PLAN_NONE: not drawn */
  guint32 n_rows;
} Chart;

/* Whatever the locale. */
static void
append_attribute (GString *svg, const char *name, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_printf (svg, " %s=\"%s\"", name, g_ascii_formatd (buffer, sizeof buffer, "%.1f", value));
}

static void
append_rect (GString *svg, double x, double y, double width, double height, const char *fill, const char *stroke,
             const char *title)
{
  g_string_append (svg, "<rect");
  append_attribute (svg, "x", x);
  append_attribute (svg, "y", y);
  append_attribute (svg, "width", width);
  append_attribute (svg, "height", height);
  g_string_append_printf (svg, " fill=\"%s\" stroke=\"%s\"", fill, stroke);
  if (title == NULL)
    {
      g_string_append (svg, "/>\n");
      return;
    }
  g_autofree char *escaped = g_markup_escape_text (title, -1);
  g_string_append_printf (svg, "><title>%s</title></rect>\n", escaped);
}

static void
append_text (GString *svg, double x, double y, const char *anchor, const char *fill, const char *text)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);

  g_string_append (svg, "<text");
  append_attribute (svg, "x", x);
  append_attribute (svg, "y", y);
  g_string_append_printf (svg, " text-anchor=\"%s\" fill=\"%s\">%s</text>\n", anchor, fill, escaped);
}

static void
append_line (GString *svg, double x1, double y1, double x2, double y2, const char *stroke, const char *dashes)
{
  g_string_append (svg, "<line");
  append_attribute (svg, "x1", x1);
  append_attribute (svg, "y1", y1);
  append_attribute (svg, "x2", x2);
  append_attribute (svg, "y2", y2);
  g_string_append_printf (svg, " stroke=\"%s\"", stroke);
  if (dashes != NULL)
    g_string_append_printf (svg, " stroke-dasharray=\"%s\"", dashes);
  g_string_append (svg, "/>\n");
}

/* Which slots are drawn: all, or the largest, in their own order. */
static int
compare_bytes (const void *a, const void *b, void *data)
{
  const CandelaPlanSlot *slots = data;
  guint32 one = *(const guint32 *) a, other = *(const guint32 *) b;

  if (slots[one].bytes != slots[other].bytes)
    return slots[one].bytes > slots[other].bytes ? -1 : 1;
  return one < other ? -1 : 1;
}

static void
choose_rows (Chart *chart)
{
  const CandelaPlan *plan = chart->plan;
  g_autofree guint32 *order = g_new (guint32, MAX (plan->n_slots, 1));

  chart->rows = g_new (guint32, MAX (plan->n_slots, 1));
  for (guint32 k = 0; k < plan->n_slots; k++)
    {
      order[k] = k;
      chart->rows[k] = CANDELA_PLAN_NONE;
    }
  if (plan->n_slots > MAX_ROWS)
    g_qsort_with_data (order, plan->n_slots, sizeof *order, compare_bytes, plan->slots);
  for (guint32 k = 0; k < MIN (plan->n_slots, MAX_ROWS); k++)
    chart->rows[order[k]] = 0;
  for (guint32 k = 0; k < plan->n_slots; k++)
    if (chart->rows[k] == 0)
      chart->rows[k] = chart->n_rows++;
}

static double
step_x (const Chart *chart, double step)
{
  return LEFT + step * chart->step_width;
}

static double
row_y (const Chart *chart, guint32 slot)
{
  return chart->y + chart->rows[slot] * ROW + (ROW - BAR) / 2;
}

static void
append_bars (Chart *chart)
{
  const CandelaPlan *plan = chart->plan;

  for (guint32 k = 0; k < plan->n_slots; k++)
    {
      const CandelaPlanSlot *slot = &plan->slots[k];
      gboolean kept = slot->end == CANDELA_PLAN_NONE;
      double x = step_x (chart, slot->start);
      double end = step_x (chart, kept ? plan->n_steps : slot->end + 1);
      g_autofree char *bytes = NULL, *label = NULL, *title = NULL;

      if (chart->rows[k] == CANDELA_PLAN_NONE)
        continue;
      bytes = candela_plan_bytes_to_string (slot->bytes);
      label = g_strdup_printf ("slot %u, %s", k, bytes);
      title = kept ? g_strdup_printf ("slot %u, %s: from step %u on, never freed", k, bytes, slot->start)
                   : g_strdup_printf ("slot %u, %s: from step %u to step %u", k, bytes, slot->start, slot->end);
      append_rect (chart->svg, x, row_y (chart, k), MAX (end - x, 1), BAR, "#eef1f4", "#8a949e", title);
      append_text (chart->svg, LEFT - 8, row_y (chart, k) + BAR - 4, "end", "#222222", label);
      /* An arrow: the result outlives the run. */
      if (kept)
        append_text (chart->svg, end + 3, row_y (chart, k) + BAR - 4, "start", "#8a949e", "▸");
    }
}

static void
append_cells (Chart *chart)
{
  const CandelaPlan *plan = chart->plan;
  double inset = chart->step_width > 8 ? 2 : 0;

  for (guint32 s = 0; s < plan->n_steps; s++)
    for (guint32 o = 0; o < plan->steps[s].n_outputs; o++)
      {
        const CandelaPlanOutput *output = candela_plan_step_output (plan, &plan->steps[s], o);
        guint32 slot = candela_plan_output_slot (plan, output);
        g_autofree char *name = NULL, *title = NULL;

        if (slot == CANDELA_PLAN_NONE || chart->rows[slot] == CANDELA_PLAN_NONE
            || output->kind == CANDELA_OUTPUT_REFERENCE_SLOT)
          continue;
        name = candela_plan_step_short_name (plan, &plan->steps[s]);
        title = g_strdup_printf ("step %u: %s (%s)", s, name, candela_plan_kind_name (output->kind));
        append_rect (chart->svg, step_x (chart, s) + inset, row_y (chart, slot) + 2,
                     MAX (chart->step_width - 2 * inset, 1), BAR - 4, candela_plan_kind_color (output->kind), "none",
                     title);
      }
}

/* The numbers of the steps, as many as have room. */
static void
append_axis (Chart *chart)
{
  guint64 every = 1, decade = 1;

  while (every * chart->step_width < 34)
    {
      every = every == decade ? 2 * decade : every == 2 * decade ? 5 * decade : 10 * decade;
      if (every == 10 * decade)
        decade = every;
    }
  for (guint64 s = 0; s < chart->plan->n_steps; s += every)
    {
      g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, s);

      append_line (chart->svg, step_x (chart, s), chart->y, step_x (chart, s), chart->y + 4, "#8a949e", NULL);
      append_text (chart->svg, step_x (chart, s + 0.5), chart->y + 14, "middle", "#555555", text);
    }
  append_line (chart->svg, LEFT, chart->y, LEFT + chart->width, chart->y, "#8a949e", NULL);
  append_text (chart->svg, LEFT - 8, chart->y + 14, "end", "#555555", "step");
}

static void
append_level (Chart *chart, const char *what, guint64 bytes, guint64 top, const char *color, double label_shift)
{
  g_autofree char *amount = candela_plan_bytes_to_string (bytes);
  g_autofree char *text = g_strdup_printf ("%s %s", what, amount);
  double y = chart->y + CURVE * (1 - (double) bytes / top);

  append_line (chart->svg, LEFT, y, LEFT + chart->width, y, color, "5 3");
  append_text (chart->svg, LEFT - 8, y + 4 + label_shift, "end", color, text);
}

static void
append_curve (Chart *chart)
{
  const CandelaPlan *plan = chart->plan;
  g_autofree guint64 *held = candela_plan_find_held_bytes (plan);
  guint32 stretch = plan->n_steps / MAX_POINTS + 1;
  guint64 top = MAX (MAX (plan->peak_bytes, plan->lower_bound_bytes), 1);
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (chart->svg, "<path fill=\"#dfe6ee\" stroke=\"#4a6785\" d=\"");
  for (guint32 s = 0; s < plan->n_steps; s += stretch)
    {
      guint32 next = MIN (s + stretch, plan->n_steps);
      guint64 most = 0;

      for (guint32 k = s; k < next; k++)
        most = MAX (most, held[k]);
      if (s == 0)
        g_string_append_printf (chart->svg, "M%s", g_ascii_formatd (buffer, sizeof buffer, "%.1f", LEFT));
      if (s == 0)
        g_string_append_printf (chart->svg, ",%s", g_ascii_formatd (buffer, sizeof buffer, "%.1f", chart->y + CURVE));
      g_string_append_printf (
        chart->svg, "V%s",
        g_ascii_formatd (buffer, sizeof buffer, "%.1f", chart->y + CURVE * (1 - MIN ((double) most / top, 1))));
      g_string_append_printf (chart->svg, "H%s", g_ascii_formatd (buffer, sizeof buffer, "%.1f", step_x (chart, next)));
    }
  g_string_append_printf (chart->svg, "V%sZ\"/>\n", g_ascii_formatd (buffer, sizeof buffer, "%.1f", chart->y + CURVE));

  append_level (chart, "peak", plan->peak_bytes, top, "#b03030", 0);
  if (plan->lower_bound_bytes != plan->peak_bytes)
    {
      double apart = CURVE * fabs ((double) plan->peak_bytes - (double) plan->lower_bound_bytes) / top;
      append_level (chart, "bound", plan->lower_bound_bytes, top, "#306090", MAX (14 - apart, 0));
    }
  append_line (chart->svg, LEFT, chart->y + CURVE, LEFT + chart->width, chart->y + CURVE, "#8a949e", NULL);
  append_text (chart->svg, LEFT - 8, chart->y + CURVE + 4, "end", "#555555", "0 B held");
}

static void
append_legend (Chart *chart)
{
  double x = LEFT;

  for (guint kind = CANDELA_OUTPUT_ALLOCATE; kind <= CANDELA_OUTPUT_REFERENCE_ETERNAL; kind++)
    {
      const char *name = candela_plan_kind_name (kind);

      append_rect (chart->svg, x, chart->y, 11, 11, candela_plan_kind_color (kind), "#8a949e", NULL);
      append_text (chart->svg, x + 16, chart->y + 10, "start", "#222222", name);
      x += 34 + 6.2 * strlen (name);
    }
  chart->y += 20;
}

void
candela_plan_append_chart (const CandelaPlan *plan, GString *svg, double *width, double *height)
{
  Chart chart = { .plan = plan, .svg = svg };
  guint32 n_steps = MAX (plan->n_steps, 1);

  chart.step_width = CLAMP (CHART_WIDTH / n_steps, MIN_CHART_WIDTH / n_steps, MAX_STEP_WIDTH);
  chart.width = chart.step_width * n_steps;
  choose_rows (&chart);
  append_legend (&chart);
  append_bars (&chart);
  if (plan->n_steps <= MAX_CELLS)
    append_cells (&chart);
  chart.y += chart.n_rows * ROW + 4;
  append_axis (&chart);
  chart.y += 24;
  if (chart.n_rows < plan->n_slots)
    {
      g_autofree char *note = g_strdup_printf ("%u smaller slots are not drawn", plan->n_slots - chart.n_rows);
      append_text (svg, LEFT, chart.y + 6, "start", "#555555", note);
      chart.y += 18;
    }
  chart.y += 8;
  append_curve (&chart);
  g_free (chart.rows);

  *width = LEFT + MAX (chart.width, 480) + RIGHT;
  *height = chart.y + CURVE + 12;
}
