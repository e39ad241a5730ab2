"""Probes for what a Java program runs, in steps whose results a cache keeps: what others have to know of a jar is
collected from each, all are numbered at once, each is rewritten with its own slice of the ids."""

_Config = provider(fields = ["command", "blacklist", "options", "ledger", "activities"])
_Names = provider(fields = {"parts": "depset of (jar, its names)"})

def _config_impl(ctx):
    return [_Config(
        command = ctx.file.command,
        blacklist = ctx.files.blacklist,
        options = ctx.attr.options,
        ledger = ctx.file.ledger,
        activities = ctx.attr.activities,
    )]

methodbeat_config = rule(
    doc = "What is said to all steps. The one that counts is //methodbeat:config.",
    implementation = _config_impl,
    attrs = {
        "command": attr.label(doc = "The program methodbeat.", allow_single_file = True, mandatory = True),
        "blacklist": attr.label_list(doc = "What not to trace.", allow_files = True),
        "options": attr.string_list(doc = "Of collect: --rules=..., --exceptions=..., --beat-class=..."),
        "ledger": attr.label(doc = "methodMapping.txt of the last release: its ids are kept.", allow_single_file = True),
        "activities": attr.string_list(doc = "Classes known to be Activities."),
    },
)

_CONFIG = {"_config": attr.label(default = Label("//methodbeat:config"), providers = [_Config])}

def _run(ctx, config, step, arguments, **more):
    """arguments: at most as many as a command line holds, or in a file."""
    arguments.use_param_file("@%s")
    arguments.set_param_file_format("multiline")
    ctx.actions.run(
        executable = config.command,
        arguments = [step, arguments],
        mnemonic = "Methodbeat" + step.capitalize(),
        **more
    )

def _choice(ctx, config):
    arguments = ctx.actions.args()
    arguments.add_all(config.blacklist, before_each = "--blacklist")
    arguments.add_all(config.options)
    return arguments

def _name_of(jar):
    """One that no other jar has."""
    return jar.short_path.replace("../", "").replace("/", "_")

# --- collect: per jar, in the package that has it ---

def _collect(ctx, config, jar):
    names = ctx.actions.declare_file("%s.methodbeat/%s.names" % (ctx.label.name, _name_of(jar)))
    arguments = _choice(ctx, config)
    arguments.add("--output", names)
    arguments.add(jar)
    _run(ctx, config, "collect", arguments, inputs = [jar] + config.blacklist, outputs = [names])
    return names

def _names_impl(target, ctx):
    config = ctx.attr._config[_Config]
    own = target[JavaInfo].runtime_output_jars if JavaInfo in target else []
    below = []
    for name in ["deps", "runtime_deps", "exports"]:
        others = getattr(ctx.rule.attr, name, None)
        if type(others) == "list":
            below += [other[_Names].parts for other in others if _Names in other]
    parts = [(jar, _collect(ctx, config, jar)) for jar in own]
    return [_Names(parts = depset(parts, transitive = below))]

_names = aspect(
    implementation = _names_impl,
    attr_aspects = ["deps", "runtime_deps", "exports"],
    attrs = _CONFIG,
)

# --- number: once ---

def _number(ctx, config, names):
    """The slices, in the order of the names."""
    folder = ctx.label.name + ".methodbeat/ids/"
    slices = [ctx.actions.declare_file(folder + file.basename) for file in names]
    ids = ctx.actions.declare_file(ctx.label.name + ".methodbeat/all.ids")
    arguments = ctx.actions.args()
    arguments.add("--output", ids)
    arguments.add("--slices", slices[0].dirname)
    arguments.add_all(config.activities, before_each = "--activity")
    ledger = [config.ledger] if config.ledger else []
    arguments.add_all(ledger, before_each = "--ledger")
    arguments.add_all(names)
    _run(ctx, config, "number", arguments, inputs = names + ledger, outputs = slices + [ids])
    return slices

# --- rewrite: per jar, with its own slice ---

def _rewrite(ctx, config, jar, slice):
    """The jar, and its part of the two maps."""
    folder = "%s.methodbeat/%s/" % (ctx.label.name, _name_of(jar))
    outputs = [ctx.actions.declare_file(folder + name) for name in
               [jar.basename, "methodMapping.txt", "ignoreMethodMapping.txt"]]
    arguments = _choice(ctx, config)
    arguments.add_all(["--quiet", "--jobs=1"])
    arguments.add("--ids", slice)
    arguments.add("--output", outputs[0].dirname)
    arguments.add(jar)
    _run(ctx, config, "instrument", arguments, inputs = [jar, slice] + config.blacklist, outputs = outputs)
    return outputs

# --- join: what a limit of class files left without probes is only known now ---

# Of a method that is in several jars, the line of the first.
# Of copies of a class one line of each method stays; of two methods with one id, whose hashes were made equal, none.
_METHODS = (
    "sort -s -t, -k1,1n | awk '{ name = $0; sub(/^[^,]*,[^,]*,/, \"\", name); id = $0 + 0 } " +
    "id != last { print; last = id; first = name } " +
    "name != first { print first \" and \" name \" have one hash: rename one\" > \"/dev/stderr\"; exit 1 }'"
)
_IGNORED = "grep -v '^ignore methods:$' | sort -s -k1,1 | awk 'BEGIN { print \"ignore methods:\" } !seen[$0]++'"

def _join(ctx, parts, name, filter):
    joined = ctx.actions.declare_file("%s.methodbeat/%s" % (ctx.label.name, name))
    files = ctx.actions.args()
    files.use_param_file("%s", use_always = True)
    files.set_param_file_format("multiline")
    files.add_all(parts)
    ctx.actions.run_shell(
        command = "export LC_ALL=C; xargs cat <\"$2\" | %s >\"$1\"" % filter,
        arguments = [joined.path, files],
        inputs = parts,
        outputs = [joined],
        mnemonic = "MethodbeatJoin",
    )
    return joined

def _instrument_impl(ctx):
    config = ctx.attr._config[_Config]
    known = {}
    for dep in ctx.attr.deps:
        known.update(dep[_Names].parts.to_list())
    jars = depset(transitive = [dep[JavaInfo].transitive_runtime_jars for dep in ctx.attr.deps]).to_list()
    names = [known[jar] if jar in known else _collect(ctx, config, jar) for jar in jars]
    slices = _number(ctx, config, names)
    parts = [_rewrite(ctx, config, jars[i], slices[i]) for i in range(len(jars))]
    maps = [
        _join(ctx, [part[1] for part in parts], "methodMapping.txt", _METHODS),
        _join(ctx, [part[2] for part in parts], "ignoreMethodMapping.txt", _IGNORED),
    ]
    outputs = [part[0] for part in parts]
    return [
        DefaultInfo(files = depset(outputs + maps)),
        OutputGroupInfo(maps = depset(maps)),
        java_common.merge([JavaInfo(output_jar = jar, compile_jar = jar) for jar in outputs]),
    ]

methodbeat_instrument = rule(
    doc = "The jars that deps run with, with probes: for the runtime_deps of a java_binary.",
    implementation = _instrument_impl,
    attrs = dict(_CONFIG, deps = attr.label_list(providers = [JavaInfo], aspects = [_names], mandatory = True)),
)
