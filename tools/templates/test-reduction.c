
static void
test_@op@ (void)
{
  gives ("@op@([[3.0, -4.0], [1.0, 1.0]])", "[7. 2.]");
  gives ("@op@([[3, -4], [1, 1]].T)", "[4. 5.]");
  gives ("@op@(zeros([2, 0]))", "[0. 0.]");
  gives ("x = reshape(linspace(-3.0, 3.0, 1000), [10, 100]); max(abs(@op@(x) - sum(abs(x), axis=1))) < 1e-12", "True");
  fails ("@op@(1.0)", CANDELA_ERROR_SHAPE);
}
