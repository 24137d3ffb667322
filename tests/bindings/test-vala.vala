// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Candela as Vala sees it: tensors, ops by name, expressions, plans, and
// materializing while a main loop runs.

Candela.Tensor make_tensor (double[] values, int64[] shape) throws Error {
    unowned uint8[] data = (uint8[]) values;
    data.length = (int) (values.length * sizeof (double));
    return new Candela.Tensor.from_data (Candela.DType.FLOAT64, shape, data);
}

void check_values (Candela.Tensor tensor, double[] wanted) {
    var bytes = new Bytes (null);
    try {
        bytes = tensor.get_bytes ();
    } catch (Error error) {
        assert_not_reached ();
    }
    assert (bytes.get_size () == wanted.length * sizeof (double));
    assert (Memory.cmp (bytes.get_data (), wanted, bytes.get_size ()) == 0);
}

void test_tensor () {
    try {
        var tensor = make_tensor ({ 1, 2, 3, 4, 5, 6 }, { 2, 3 });
        unowned int64[] shape = tensor.get_shape ();

        assert (shape.length == 2 && shape[0] == 2 && shape[1] == 3);
        assert (tensor.dtype == Candela.DType.FLOAT64 && tensor.dtype.get_name () == "float64");
        assert (tensor.get_double ({ 1, -1 }) == 6);
        check_values (tensor, { 1, 2, 3, 4, 5, 6 });
        assert (tensor.layout.permute ({ 1, 0 }).get_strides ()[0] == 1);
    } catch (Error error) {
        assert_not_reached ();
    }
}

void test_ops () {
    try {
        var x = new Candela.Node.tensor (make_tensor ({ 1, 2, 3, 4, 5, 6 }, { 2, 3 }));
        Candela.Node[] inputs = { x, new Candela.Node.int (10) };
        var product = new Candela.Node.op ("multiply", inputs, null);
        var options = new VariantDict ();
        options.insert_value ("axis", new Variant.int64 (1));
        inputs = { product };
        var total = new Candela.Node.op ("sum", inputs, options.end ());

        assert (product.get_op ().get_name () == "multiply");
        check_values (total.materialize (), { 60, 150 });
        inputs = { x, total };
        var results = Candela.materialize (inputs);
        assert (results.length == 2);
        check_values (results[1], { 60, 150 });
    } catch (Error error) {
        assert_not_reached ();
    }
}

void test_expression () {
    try {
        var names = new HashTable<string, Candela.Node> (str_hash, str_equal);
        names["x"] = new Candela.Node.tensor (make_tensor ({ 1, 2, 3, 6 }, { 4 }));
        var expression = Candela.Expression.parse ("m, v = moments(x); m + v", -1, names);

        check_values (expression.get_value ().materialize (), { 6.5 });
        check_values (expression.lookup ("v").materialize (), { 3.5 });
        assert (string.joinv (" ", expression.list_names ()) == "m v");
    } catch (Error error) {
        assert_not_reached ();
    }
}

void test_plan () {
    try {
        var slot = new Candela.Node.slot ("x", Candela.DType.FLOAT64, { 3 });
        Candela.Node[] inputs = { slot, new Candela.Node.float (0.5) };
        var plan = new Candela.Node.op ("subtract", inputs, null).plan (Candela.PlanFlags.DEFAULT);
        Candela.RunStats stats;
        uint64 last = 0;
        Candela.Tensor[] bound = { make_tensor ({ 1, 2, 3 }, { 3 }) };
        var results = plan.run (bound, null, (done, total) => { last = done; }, out stats);

        check_values (results[0], { 0.5, 1.5, 2.5 });
        assert (last == 3 && stats.allocations == 1 && stats.peak_bytes == plan.get_peak_bytes ());
        assert (plan.get_step_output_kind (0, 0) == Candela.OutputKind.ALLOCATE);
        assert (plan.to_string ().length > 0);
    } catch (Error error) {
        assert_not_reached ();
    }
}

void test_errors () {
    Candela.Node[] inputs = { new Candela.Node.int (1) };

    try {
        new Candela.Node.op ("add", inputs, null);
        assert_not_reached ();
    } catch (Candela.Error.ARITY error) {
        assert ("add" in error.message);
    } catch (Error error) {
        assert_not_reached ();
    }
    try {
        Candela.Expression.build ("1 +", null);
        assert_not_reached ();
    } catch (Candela.Error error) {
        assert (error is Candela.Error.SYNTAX);
    } catch (Error error) {
        assert_not_reached ();
    }
}

int64 resident_pages () {
    string text;

    try {
        FileUtils.get_contents ("/proc/self/statm", out text);
    } catch (Error error) {
        return 0;
    }
    return int64.parse (text.split (" ")[1]);
}

// CANDELA_TEST_ARRAYS says how many arrays are made, used and dropped.
void test_dropped () {
    var n = int64.parse (Environment.get_variable ("CANDELA_TEST_ARRAYS") ?? "50000");
    int64 before = 0;

    for (int64 i = 0; i < 5000 + n; i++) {
        if (i == 5000)
            before = resident_pages ();
        try {
            var x = new Candela.Node.tensor (make_tensor ({ 1, 2, 3 }, { 3 }));
            Candela.Node[] inputs = { x, new Candela.Node.int (i) };
            inputs = { new Candela.Node.op ("multiply", inputs, null) };
            assert (new Candela.Node.op ("sum", inputs, null).materialize ().get_double ({}) == 6.0 * i);
            if (i % 10 == 0)
                new Candela.Node.op ("add", inputs, null);
        } catch (Error error) {
            assert (error is Candela.Error.ARITY);
        }
    }
    // A leak of 32 bytes an array would show.
    assert (resident_pages () - before < 256);
}

async void materialize (MainLoop loop) {
    try {
        var node = Candela.Expression.build ("sum(arange(1000))", null);
        var cancellable = new Cancellable ();

        assert ((yield node.materialize_async (cancellable)).get_int64 ({}) == 499500);
        cancellable.cancel ();
        try {
            yield node.materialize_async (cancellable);
            assert_not_reached ();
        } catch (IOError.CANCELLED error) {
        }
    } catch (Error error) {
        assert_not_reached ();
    }
    loop.quit ();
}

void test_async () {
    var loop = new MainLoop ();
    materialize.begin (loop);
    loop.run ();
}

int main (string[] args) {
    Test.init (ref args);
    Test.add_func ("/vala/tensor", test_tensor);
    Test.add_func ("/vala/ops", test_ops);
    Test.add_func ("/vala/expression", test_expression);
    Test.add_func ("/vala/plan", test_plan);
    Test.add_func ("/vala/errors", test_errors);
    Test.add_func ("/vala/async", test_async);
    Test.add_func ("/vala/dropped", test_dropped);
    return Test.run ();
}
