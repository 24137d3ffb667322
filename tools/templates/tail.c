
CANDELA_PLUGIN_DEFINE_OPS ("@plugin@", "0.1", "@license@", "Ops of @plugin@", @infos@)
