
static void
test_@op@ (void)
{
  gives ("@op@([-8.0, 8.0], slope=0.25)", "[-2.  8.]");
  gives ("x = linspace(-3.0, 3.0, 1001); all(@op@(x) == where(x < 0, x * 0.01, x))", "True");
  gives ("x = linspace(-3.0, 3.0, 1001); all(@op@(x, slope=1.0) == x)", "True");
  fails ("@op@([1.0], slope=2.0)", CANDELA_ERROR_PARAMETER);
}
