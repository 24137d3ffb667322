// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Handwritten digits, told by the nearest of ten mean images: the expression in
// digits.expr, built over arrays of .npy files, planned and computed.
//
//   valac --pkg candela digits.vala && ./digits FOLDER-OF-EXAMPLES

Candela.Node load (File examples, string name) throws Error {
    return new Candela.Node.tensor (Candela.npy_load (examples.get_child (@"data/digits-$name.npy")));
}

async void classify (File examples) throws Error {
    uint8[] text;
    var names = new HashTable<string, Candela.Node> (str_hash, str_equal);

    names["images"] = load (examples, "images");
    names["labels"] = load (examples, "labels");
    yield examples.get_child ("digits.expr").load_contents_async (null, out text, null);
    var expression = Candela.Expression.parse ((string) text, -1, names);

    // Nothing has been computed yet: these are nodes of a graph, and more can be added.
    var accuracy = expression.get_value ();
    var distances = expression.lookup ("distances");
    var options = new VariantDict ();
    options.insert_value ("axis", new Variant.int64 (1));
    Candela.Node[] inputs = { distances };
    var nearest = new Candela.Node.op ("min", inputs, options.end ());
    print ("distances: %s %s\n", Candela.shape_to_string (distances.get_shape ()), distances.get_dtype ().get_name ());

    Candela.Node[] roots = { accuracy, nearest };
    var plan = new Candela.Plan (roots, Candela.PlanFlags.DEFAULT);
    print ("plan: %u steps, %s bytes at most\n", plan.get_n_steps (), plan.get_peak_bytes ().to_string ());

    print ("accuracy: %.4f\n", (yield accuracy.materialize_async (null)).get_double ({}));
    print ("the first distance: %.1f\n", (yield nearest.materialize_async (null)).get_double ({ 0 }));

    try {
        Candela.Node[] twice = { distances, distances };
        new Candela.Node.op ("matmul", twice, null);
    } catch (Candela.Error error) {
        print ("an error: %s (code %d)\n", error.message, error.code);
    }
}

int main (string[] args) {
    var loop = new MainLoop ();
    var status = 0;

    classify.begin (File.new_for_commandline_arg (args.length > 1 ? args[1] : "."), (object, result) => {
        try {
            classify.end (result);
        } catch (Error error) {
            printerr ("%s\n", error.message);
            status = 1;
        }
        loop.quit ();
    });
    loop.run ();
    return status;
}
