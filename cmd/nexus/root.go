package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nexus"
)

// An app is one run of the program: its streams, its environment and what the
// command line said.
type app struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	env    lookup
	flags  map[string]given // by key of the setting

	json    bool
	quiet   bool
	noColor bool
	profile string

	helpError error // help was asked on what there is not
}

func newApp() *app {
	return &app{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		env: os.LookupEnv, flags: map[string]given{},
	}
}

// load resolves the settings and begins to log the way they say. Commands call
// it first.
func (a *app) load() (*Config, error) {
	cfg, err := loadConfig(a.flags, a.env)
	if err != nil {
		return nil, err
	}
	level := logLevel(cfg.LogLevel)
	if a.quiet {
		level = max(level, slog.LevelError)
	}
	slog.SetDefault(a.newLogger(a.stderr, level))
	return cfg, nil
}

// wantsJSON tells whether a command that prints data prints JSON: when asked
// to, and when nobody is looking.
func (a *app) wantsJSON(cmd *cobra.Command) bool {
	if cmd.Flags().Changed("json") {
		return a.json
	}
	return !isTerminal(a.stdout)
}

// rootCommand is the whole command line.
func rootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "nexus",
		Short:         "One place where agents, assistants and people work on the same things",
		Long:          rootLong,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noSuchCommand,
		RunE:          a.bare,
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.Flags().Bool("version", false, "Print the version.")
	a.addProfile(root.Flags())
	a.addGlobalFlags(root.PersistentFlags())
	root.AddCommand(serveCommand(a), mcpCommand(a), callCommand(a), topicCommand(a), tailCommand(a), searchCommand(a), importCommand(a), adminCommand(a), configCommand(a),
		connectCommand(a), initCommand(a), homeStatusCommand(a), doctorCommand(a), healthcheckCommand(a), docsCommand(a), versionCommand(a))
	root.SetHelpCommand(helpCommand(a))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil {
		c.Short = "Print a completion script for your shell"
	}
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(a.printHelp)
	root.SetUsageFunc(func(cmd *cobra.Command) error { a.printHelp(cmd, nil); return nil })
	strict(root)
	return root
}

const rootLong = `Nexus is one place where AI agents, assistants and people work on the same things.

With a pipe on standard input and no command, nexus is an MCP server for the
program that started it.`

// bare is nexus without a command: help for a person, an MCP server for a
// program.
func (a *app) bare(cmd *cobra.Command, _ []string) error {
	if version, _ := cmd.Flags().GetBool("version"); version {
		return printVersion(a, buildVersion())
	}
	if isTerminal(a.stdin) {
		return cmd.Help()
	}
	return a.stdioServer(cmd.Context())
}

// The flags of every command that are listed in its help. All other settings
// are flags too, and listed by "nexus help settings".
var globalFlags = []string{"home", "db", "json", "quiet", "no-color", "log-level", "help"}

// addGlobalFlags adds the flags every command takes: one for each setting and
// the few that only concern printing.
func (a *app) addGlobalFlags(fs *pflag.FlagSet) {
	fs.BoolVar(&a.json, "json", false, "Print JSON, as is done when standard output is not a terminal.")
	fs.BoolVar(&a.quiet, "quiet", false, "Log nothing but errors.")
	fs.BoolVar(&a.noColor, "no-color", false, "No colours; NO_COLOR in the environment does the same.")
	fs.BoolP("help", "h", false, "Show help.")
	for _, s := range settings {
		for _, name := range s.flags() {
			fs.Var(&settingFlag{app: a, setting: s, name: name}, name, s.doc)
		}
	}
}

// A settingFlag notes what the command line says about a setting. It is not
// checked here: another value might win.
type settingFlag struct {
	app     *app
	setting setting
	name    string
}

func (f *settingFlag) String() string { return f.setting.def }
func (f *settingFlag) Type() string   { return f.setting.placeholder() }

// Set takes the value. One that looks like a flag means that the value was
// left out; a path of that form can be written ./--like-this. A list may be
// given piece by piece.
func (f *settingFlag) Set(value string) error {
	if strings.HasPrefix(value, "--") {
		return usageErrorf("flag --%s needs a value", f.name)
	}
	g := given{origin: fromFlag, where: "--" + f.name, text: value}
	if earlier, ok := f.app.flags[f.setting.key]; ok && f.setting.kind == kindList {
		g.text = earlier.text + "," + value
	}
	f.app.flags[f.setting.key] = g
	return nil
}

// flagError says in one line what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	if e, ok := errors.AsType[*usageError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return unknownFlag(cmd, e)
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return usageErrorf("flag --%s needs a value", e.GetFlag().Name)
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return nexus.Errorf(nexus.ConfigError, "bad value %q for flag --%s: need %s",
			shorten(e.GetValue()), e.GetFlag().Name, flagAllows(e.GetFlag()))
	}
	return usageErrorf("%v", err)
}

// flagAllows says in words what a flag that is no setting may be.
func flagAllows(f *pflag.Flag) string {
	if f.Value.Type() == "bool" {
		return "true or false"
	}
	return "a value of type " + f.Value.Type()
}

func unknownFlag(cmd *cobra.Command, e *pflag.NotExistError) error {
	name, dashed := e.GetSpecifiedName(), "--"+e.GetSpecifiedName()
	if short := e.GetSpecifiedShortnames(); short != "" {
		name, dashed = short, "-"+short
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	return usageErrorf("unknown flag %s for %q%s", dashed, cmd.CommandPath(), didYouMean(name, known, "--"))
}

// noSuchCommand refuses arguments where only commands may stand.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
	}
	return usageErrorf("unknown command %q for %q%s", shorten(args[0]), cmd.CommandPath(), didYouMean(args[0], known, ""))
}

// noArgs refuses any argument.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageErrorf("unexpected argument %q for %q", shorten(args[0]), cmd.CommandPath())
}

// oneArg wants exactly one argument, which the message calls name.
func oneArg(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageErrorf("%q needs %s", cmd.CommandPath(), name)
		}
		return noArgs(cmd, args[1:])
	}
}

// atMost takes up to so many arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error { return noArgs(cmd, args[min(n, len(args)):]) }
}

// strict makes every command refuse what it does not understand: a command
// that says nothing about its arguments takes none, one that only groups
// others shows its help, and whatever is wrong with arguments is wrong usage.
func strict(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		strict(c)
	}
	check := cmd.Args
	switch {
	case !cmd.Runnable():
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		check = noSuchCommand
	case check == nil:
		check = noArgs
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if _, ok := errors.AsType[*nexus.Error](err); err == nil || ok {
			return err
		}
		return usageErrorf("%v", err)
	}
}

// showSettings lists settings among the flags in a command's help, because
// they matter most there.
func showSettings(cmd *cobra.Command, keys ...string) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations["settings"] = strings.ReplaceAll(strings.Join(keys, " "), "_", "-")
}

// printHelp writes the help of a command. Settings that it has no particular
// use for would drown it, so they are only pointed at.
func (a *app) printHelp(cmd *cobra.Command, _ []string) {
	w := cmd.OutOrStdout()
	section := func(title, body string) {
		if body != "" {
			fmt.Fprintf(w, "\n%s\n%s\n", a.heading(w, title), strings.TrimRight(body, "\n"))
		}
	}
	about := cmd.Long
	if about == "" {
		about = cmd.Short + "."
	}
	fmt.Fprintln(w, strings.TrimSpace(about))
	section("Usage:", usageLines(cmd))
	section("Commands:", commandLines(cmd))
	section("Flags:", flagLines(cmd, false))
	section("Flags of every command:", flagLines(cmd, true))
	section("Examples:", cmd.Example)
	fmt.Fprintln(w, "\nEvery setting is a flag as well: nexus help settings lists them.")
}

func usageLines(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() {
		return "  " + cmd.CommandPath() + " COMMAND [flags]"
	}
	return "  " + cmd.UseLine()
}

func commandLines(cmd *cobra.Command) string {
	var rows [][]string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			rows = append(rows, []string{"  " + c.Name(), c.Short})
		}
	}
	var b strings.Builder
	_ = printTable(&b, rows) // a Builder takes everything
	return b.String()
}

// flagLines describes the flags that every command has, or those that matter
// for cmd alone: its own, and the settings shown for it.
func flagLines(cmd *cobra.Command, global bool) string {
	shown := strings.Fields(cmd.Annotations["settings"])
	chosen := pflag.NewFlagSet("", pflag.ContinueOnError)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		inherited := f == cmd.Root().PersistentFlags().Lookup(f.Name)
		isGlobal := inherited && slices.Contains(globalFlags, f.Name)
		isOwn := !inherited || slices.Contains(shown, f.Name)
		if !f.Hidden && (global && isGlobal || !global && isOwn) {
			chosen.AddFlag(f)
		}
	})
	return chosen.FlagUsages()
}

// helpCommand is help for a command, or on a topic.
func helpCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | settings]",
		Short: "Help on a command, or on the settings",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Equal(args, []string{"settings"}) {
				return printSettings(a)
			}
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usageErrorf("no help on %q: neither a command nor a topic; see nexus help", shorten(strings.Join(args, " ")))
			}
			return about.Help()
		},
	}
}
