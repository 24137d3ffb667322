# SPDX-License-Identifier: LGPL-2.1-or-later
#
# CANDELA_CHECK_OPS(OPS, [ACTION-IF-FOUND], [ACTION-IF-NOT-FOUND])
#
# Looks for ops, by their names separated by spaces, in the plugins that there are.
# CANDELA_TOOL is the candela command, candela_missing_ops the ops that are missing.
AC_DEFUN([CANDELA_CHECK_OPS],
[AC_ARG_VAR([CANDELA_TOOL], [the candela command])dnl
AC_PATH_PROG([CANDELA_TOOL], [candela])
candela_missing_ops=
for candela_op in $1; do
  AC_MSG_CHECKING([for the op $candela_op])
  if test -n "$CANDELA_TOOL" && "$CANDELA_TOOL" inspect --exists "$candela_op" 2>/dev/null; then
    AC_MSG_RESULT([yes])
  else
    AC_MSG_RESULT([no])
    candela_missing_ops="$candela_missing_ops $candela_op"
  fi
done
AS_IF([test -z "$candela_missing_ops"], [m4_default([$2], [:])], [m4_default([$3], [:])])
])
