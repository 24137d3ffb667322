/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plan as a picture: the graph above, laid out by the Graphviz library, and
 * below it the chart of its memory over time. Graphviz keeps its state in global
 * variables, so one thread at a time may use it. A graph of some hundred steps is
 * no picture any more, and takes minutes to lay out: then the chart stands alone. */
#include <candela/plan/print-private.h>

#include <gio/gio.h>
#include <string.h>

#ifdef HAVE_GRAPHVIZ
#include <gvc.h>
#include <pthread.h>

/* Steps and edges of the largest graph that is drawn. */
#define MAX_STEPS 250
#define MAX_EDGES 1000

#define MARGIN 16.0

typedef struct
{
  char *inner; /* from behind the opening tag to the closing one, both left out */
  double width, height;
} Drawing;

static void
drawing_clear (Drawing *drawing)
{
  g_free (drawing->inner);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Drawing, drawing_clear)

static char *
lay_out (const char *dot)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* one that ThreadSanitizer knows */
  static GVC_t *context;                                   /* with its plugins, which are never unloaded */
  unsigned int length = 0;
  char *data = NULL, *svg = NULL;

  pthread_mutex_lock (&lock);
  if (context == NULL)
    context = gvContext ();
  Agraph_t *graph = context != NULL ? agmemread (dot) : NULL;
  if (graph != NULL)
    {
      if (gvLayout (context, graph, "dot") == 0)
        {
          if (gvRenderData (context, graph, "svg", &data, &length) == 0)
            svg = g_strndup (data, length);
          if (data != NULL)
            gvFreeRenderData (data);
          gvFreeLayout (context, graph);
        }
      agclose (graph);
    }
  pthread_mutex_unlock (&lock);
  return svg;
}

/* The number in name="12pt". */
static double
get_points (const char *tag, const char *name)
{
  const char *found = strstr (tag, name);
  return found != NULL ? g_ascii_strtod (found + strlen (name), NULL) : 0;
}

static gboolean
draw_graph (CandelaPlan *plan, Drawing *drawing, GError **error)
{
  g_autofree char *dot = candela_plan_to_dot (plan);
  g_autofree char *svg = lay_out (dot);
  const char *tag = svg != NULL ? strstr (svg, "<svg") : NULL;
  const char *inner = tag != NULL ? strchr (tag, '>') : NULL;
  const char *end = svg != NULL ? g_strrstr (svg, "</svg>") : NULL;

  if (inner == NULL || end == NULL || end < inner)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, "Graphviz did not lay out the graph of the plan");
      return FALSE;
    }
  drawing->width = get_points (tag, " width=\"");
  drawing->height = get_points (tag, " height=\"");
  drawing->inner = g_strndup (inner + 1, end - inner - 1);
  return TRUE;
}

static void
append_number (GString *svg, const char *before, double value, const char *after)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_printf (svg, "%s%s%s", before, g_ascii_formatd (buffer, sizeof buffer, "%.1f", value), after);
}

static void
append_opening (GString *svg, double width, double height)
{
  g_string_append (svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
  append_number (svg, " width=\"", width, "\"");
  append_number (svg, " height=\"", height, "\"");
  append_number (svg, " viewBox=\"0 0 ", width, "");
  append_number (svg, " ", height, "\" font-family=\"Helvetica,sans-serif\" font-size=\"11\">\n");
  g_string_append (svg, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
}

static char *
title_of (const CandelaPlan *plan)
{
  g_autofree char *peak = candela_plan_bytes_to_string (plan->peak_bytes);
  g_autofree char *all = candela_plan_bytes_to_string (plan->intermediate_bytes);

  return g_strdup_printf ("%u step%s, %u allocation%s, peak %s of %s", plan->n_steps, plan->n_steps == 1 ? "" : "s",
                          plan->n_slots, plan->n_slots == 1 ? "" : "s", peak, all);
}

static gboolean
is_drawable (const CandelaPlan *plan)
{
  guint64 edges = 0;

  for (guint32 s = 0; s < plan->n_steps; s++)
    edges += plan->steps[s].n_inputs;
  return plan->n_steps <= MAX_STEPS && edges <= MAX_EDGES;
}
#endif

/**
 * candela_plan_to_svg:
 * @plan: a plan
 * @error: return location for an error
 *
 * The plan as a picture in SVG: its graph, as candela_plan_to_dot() describes it,
 * above a chart of which buffer lives from which step to which, and of the bytes
 * held at each step. For a plan of some hundred steps it is the chart alone.
 *
 * Errors: %G_IO_ERROR_NOT_SUPPORTED if the library was built without Graphviz,
 * %G_IO_ERROR_FAILED if that could not lay out the graph.
 *
 * Returns: (transfer full): the SVG text
 *
 * Since: 1.0
 */
char *
candela_plan_to_svg (CandelaPlan *plan, GError **error)
{
  g_return_val_if_fail (plan != NULL, NULL);

#ifdef HAVE_GRAPHVIZ
  g_auto (Drawing) drawing = { 0 };
  g_autofree char *title = title_of (plan);
  g_autoptr (GString) chart = g_string_new (NULL);
  g_autoptr (GString) svg = g_string_new ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  gboolean drawn = is_drawable (plan);
  double chart_width, chart_height, width, top = 30;

  if (drawn && !draw_graph (plan, &drawing, error))
    return NULL;
  candela_plan_append_chart (plan, chart, &chart_width, &chart_height);
  width = MAX (drawing.width, chart_width) + 2 * MARGIN;
  drawing.height = drawn ? drawing.height : 20;
  append_opening (svg, width, top + drawing.height + 24 + chart_height + MARGIN);
  append_number (svg, "<text x=\"", MARGIN, "\" y=\"20\" font-size=\"13\" font-weight=\"bold\">");
  g_string_append_printf (svg, "%s</text>\n", title);
  if (drawn)
    {
      append_number (svg, "<svg x=\"", (width - drawing.width) / 2, "\"");
      append_number (svg, " y=\"", top, "\"");
      append_number (svg, " width=\"", drawing.width, "\"");
      append_number (svg, " height=\"", drawing.height, "\"");
      append_number (svg, " viewBox=\"0 0 ", drawing.width, "");
      append_number (svg, " ", drawing.height, "\">\n");
      g_string_append_printf (svg, "%s</svg>\n", drawing.inner);
    }
  else
    {
      append_number (svg, "<text x=\"", MARGIN, "\"");
      append_number (svg, " y=\"", top + 12, "\">The graph has too many steps to be drawn.</text>\n");
    }
  append_number (svg, "<g transform=\"translate(", MARGIN, "");
  append_number (svg, ",", top + drawing.height + 24, ")\">\n");
  g_string_append_printf (svg, "%s</g>\n</svg>\n", chart->str);
  return g_string_free (g_steal_pointer (&svg), FALSE);
#else
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                       "this Candela was built without Graphviz: it draws no plans");
  return NULL;
#endif
}
