
static void
test_@op@ (void)
{
  gives ("@op@([-1.0, 0.0, 3.0])", "[-0.5   0.    0.75]");
  gives ("x = linspace(-3.0, 3.0, 1001); all(@op@(x) == x / (1 + abs(x)))", "True");
  gives ("x = astype(linspace(-3.0, 3.0, 1001), float32); all(@op@(x) == x / (1 + abs(x)))", "True");
  gives ("x = linspace(-3.0, 3.0, 1001); all(@op@(x[::-2]) == @op@(x)[::-2])", "True");
  fails ("@op@(arange(3))", CANDELA_ERROR_DTYPE);
}
