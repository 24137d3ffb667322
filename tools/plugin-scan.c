/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * candela-plugin-scan MODULE…: opens modules for a process that does not want to be
 * ended by one. What each has registered goes to file descriptor 3, as
 * candela/op/scan.c reads it. */
#include <candela/candela.h>
#include <string.h>
#include <unistd.h>

#define RECORDS_FD 3

static gboolean
write_all (const void *data, gsize size)
{
  const char *at = data;

  while (size > 0)
    {
      gssize n = write (RECORDS_FD, at, size);

      if (n <= 0)
        return FALSE;
      at += n;
      size -= (gsize) n;
    }
  return TRUE;
}

static gboolean
write_record (GVariant *record)
{
  g_autoptr (GVariant) sunk = g_variant_ref_sink (record);
  guint32 size = (guint32) g_variant_get_size (sunk);

  return write_all (&size, sizeof size) && write_all (g_variant_get_data (sunk), size);
}

static GVariant *
scan (const char *filename)
{
  g_autoptr (CandelaRegistry) registry = candela_registry_new ("");
  CandelaPlugin *plugin = candela_registry_load_file (registry, filename, NULL);
  g_autoptr (GListModel) list = plugin != NULL ? candela_plugin_list_ops (plugin) : NULL;
  GVariantBuilder ops;

  g_variant_builder_init (&ops, G_VARIANT_TYPE ("a(sas)"));
  for (guint i = 0; list != NULL && i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (CandelaOp) op = g_list_model_get_item (list, i);
      g_auto (GStrv) operators = candela_op_list_operators (op);

      g_variant_builder_add (&ops, "(s^as)", candela_op_get_name (op), operators);
    }
  return g_variant_new ("(ba(sas))", plugin != NULL, &ops);
}

int
main (int argc, char **argv)
{
  GVariantBuilder none;

  if (argc < 2)
    {
      g_printerr ("%s is run by Candela itself; see candela inspect --help\n", argv[0]);
      return 2;
    }
  g_variant_builder_init (&none, G_VARIANT_TYPE ("a(sas)"));
  if (!write_record (g_variant_new ("(ba(sas))", FALSE, &none)))
    return 1;
  for (int i = 1; i < argc; i++)
    if (!write_record (scan (argv[i])))
      return 1;
  /* What modules do at the end is not waited for. */
  _exit (0);
}
