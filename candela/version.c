/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which Candela is running, which need not be the one compiled against. */
#include <candela/version.h>

/**
 * candela_version_string:
 *
 * The version of the library that is running, such as `1.0.0`; that of the
 * headers is %CANDELA_VERSION_S.
 *
 * Returns: (transfer none): the version
 *
 * Since: 1.0
 */
const char *
candela_version_string (void)
{
  return CANDELA_VERSION_S;
}

/**
 * candela_version_at_least:
 * @major: a major version
 * @minor: a minor version
 * @micro: a micro version
 *
 * Whether the library that is running is this version or a later one.
 * CANDELA_CHECK_VERSION() answers the same for the headers.
 *
 * Returns: %TRUE if it is
 *
 * Since: 1.0
 */
gboolean
candela_version_at_least (guint major, guint minor, guint micro)
{
  const guint running[] = { CANDELA_MAJOR_VERSION, CANDELA_MINOR_VERSION, CANDELA_MICRO_VERSION };
  const guint wanted[] = { major, minor, micro };

  for (guint i = 0; i < G_N_ELEMENTS (running); i++)
    if (running[i] != wanted[i])
      return running[i] > wanted[i];
  return TRUE;
}
