package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"nexus/client"
	"nexus/op"
)

func callCommand(a *app) *cobra.Command {
	var input string
	var listing bool
	cmd := &cobra.Command{
		Use:   "call NAME [key=value …] [--json OBJECT|-]",
		Short: "Call an operation",
		Long: `Call any operation of the catalogue, through the running hub when there is one
and on the store when not. The data is printed as JSON; an error is one line on
standard error, and the exit status tells its kind.

Here --json is the input: an object, or - to read one from standard input.`,
		Example: `  nexus call --list
  nexus call message_create --help
  nexus call agent_register agent_id=ada capabilities='["go"]'
  nexus call inbox_pull --json '{"agent_id":"ada","limit":5}'`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			ops, err := knownOps(cfg)
			if err != nil {
				return err
			}
			if listing {
				if err := noArgs(cmd, args); err != nil {
					return err
				}
				return a.listOperations(ops)
			}
			o, err := operation(ops, args)
			if err != nil {
				return err
			}
			arguments, err := a.callArguments(o, args[1:], input, cmd.Flags().Changed("json"))
			if err != nil {
				return err
			}
			return a.callOperation(cmd, cfg, o, arguments)
		},
	}
	cmd.Flags().StringVar(&input, "json", "", "The arguments as a JSON `OBJECT`, or - for standard input.")
	cmd.Flags().BoolVar(&listing, "list", false, "List the operations.")
	cmd.SetHelpFunc(a.callHelp)
	return cmd
}

// callHelp is help on the command, or on the operation that is named.
func (a *app) callHelp(cmd *cobra.Command, _ []string) {
	ops, err := knownOps(&Config{})
	if err != nil || cmd.Flags().NArg() == 0 {
		a.printHelp(cmd, nil)
		return
	}
	o, err := operation(ops, cmd.Flags().Args())
	if err != nil {
		a.helpError = err
		return
	}
	a.printOperation(o)
}

func operation(ops *op.Catalogue, args []string) (*op.Op, error) {
	if len(args) == 0 {
		return nil, usageErrorf("%q needs the name of an operation; nexus call --list shows them", "nexus call")
	}
	o := ops.Lookup(args[0])
	if o == nil || !o.Shows(op.CLI) {
		return nil, usageErrorf("unknown operation %q%s; nexus call --list shows them",
			shorten(args[0]), didYouMean(args[0], ops.Names(op.CLI), ""))
	}
	return o, nil
}

// callArguments joins the object given with --json and the key=value pairs,
// which win.
func (a *app) callArguments(o *op.Op, pairs []string, input string, given bool) (json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	if given {
		text := []byte(input)
		if input == "-" {
			var err error
			if text, err = io.ReadAll(a.stdin); err != nil {
				return nil, fmt.Errorf("read standard input: %w", err)
			}
		}
		if err := json.Unmarshal(text, &all); err != nil {
			return nil, usageErrorf("--json needs a JSON object, such as '{\"agent_id\":\"ada\"}'")
		}
	}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, usageErrorf("unexpected argument %q: arguments of %s are written key=value", shorten(pair), o.Name)
		}
		all[key] = argumentValue(o.Input().Properties[key], value)
	}
	return op.Marshal(all)
}

// argumentValue is what a value on the command line means: itself where text is
// wanted, and JSON elsewhere if it is some.
func argumentValue(schema *jsonschema.Schema, value string) json.RawMessage {
	isText := schema != nil && schema.Type == "string"
	if !isText && json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	text, _ := op.Marshal(value) // a string always marshals
	return text
}

func (a *app) callOperation(cmd *cobra.Command, cfg *Config, o *op.Op, arguments json.RawMessage) error {
	data, err := callData(cmd.Context(), cfg, o, arguments)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.stdout, b.String())
	return err
}

// callData calls an operation as the operator, through the running hub when there
// is one, and returns what it answers.
func callData(ctx context.Context, cfg *Config, o *op.Op, arguments json.RawMessage) (data json.RawMessage, err error) {
	relay := newRelay(cfg, client.RelayOptions{Conn: newID("call"), Operator: true})
	defer func() { err = errors.Join(err, relay.Close()) }()
	answer := relayed(relay)(ctx, o, arguments)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if answer.Code != "" {
		return nil, answerError(callAnswer(answer))
	}
	if o.Family != op.Bus {
		return answer.Body, nil
	}
	var envelope struct {
		Data json.RawMessage `json:"data"`
	}
	err = json.Unmarshal(answer.Body, &envelope)
	return envelope.Data, err
}

// listOperations lists the catalogue: a table for people, JSON for programs.
func (a *app) listOperations(ops *op.Catalogue) error {
	type entry struct {
		Name      string    `json:"name"`
		Effect    op.Effect `json:"effect"`
		Family    op.Family `json:"family"`
		Doc       string    `json:"doc"`
		Arguments []string  `json:"arguments"`
	}
	var entries []entry
	rows := [][]string{{a.heading(a.stdout, "NAME"), a.heading(a.stdout, "EFFECT"), a.heading(a.stdout, "WHAT IT DOES")}}
	for _, o := range ops.On(op.CLI) {
		entries = append(entries, entry{o.Name, o.Effect, o.Family, o.Doc, append([]string{}, o.Arguments()...)})
		rows = append(rows, []string{o.Name, string(o.Effect), o.Title})
	}
	if isTerminal(a.stdout) {
		return printTable(a.stdout, rows)
	}
	return printJSON(a.stdout, items(entries))
}

// printOperation describes one operation and its arguments.
func (a *app) printOperation(o *op.Op) {
	w := a.stdout
	fmt.Fprintf(w, "%s (%s)\n\n%s\n", a.heading(w, o.Name), o.Effect, o.Doc)
	names := o.Arguments()
	if len(names) == 0 {
		fmt.Fprintln(w, "\nIt takes no arguments.")
		return
	}
	rows := [][]string{}
	for _, name := range names {
		schema := o.Input().Properties[name]
		kind := schema.Type
		if kind == "" {
			kind = "any"
		}
		need := ""
		if slices.Contains(o.Input().Required, name) {
			need = "required"
		}
		rows = append(rows, []string{"  " + name, kind, need, schema.Description})
	}
	fmt.Fprintf(w, "\n%s\n", a.heading(w, "Arguments:"))
	_ = printTable(w, rows) // a terminal that is gone needs no help
}
