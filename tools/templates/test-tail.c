
int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
@adds@  return g_test_run ();
}
