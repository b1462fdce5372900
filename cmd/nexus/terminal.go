package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/lmittmann/tint"
	"golang.org/x/term"
)

// isTerminal tells whether a reader or writer is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// colour tells whether w may be given colours: it is a terminal that knows
// them, and nobody asked for none.
func (a *app) colour(w io.Writer) bool {
	if none, _ := a.env("NO_COLOR"); none != "" || a.noColor {
		return false
	}
	kind, _ := a.env("TERM")
	return kind != "dumb" && isTerminal(w)
}

// heading makes s stand out where w can show it.
func (a *app) heading(w io.Writer, s string) string {
	if !a.colour(w) {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

// printJSON writes v the way every command does: indented, and with <, > and &
// left readable.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// items is how a list looks in JSON.
func items[T any](list []T) map[string][]T {
	if list == nil {
		list = []T{}
	}
	return map[string][]T{"items": list}
}

// printTable writes rows in aligned columns. The last column is as wide as it
// likes.
func printTable(w io.Writer, rows [][]string) error {
	widths := map[int]int{}
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], width(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += cell + strings.Repeat(" ", widths[i]-width(cell)+2)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := fmt.Fprint(w, b.String())
	return err
}

// colours are what makes a text stand out and takes no room.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// width is how much room a text takes on a terminal.
func width(s string) int {
	return utf8.RuneCountInString(colours.ReplaceAllString(s, ""))
}

// newLogger logs to w, with colours on a terminal and as plain key=value lines
// elsewhere.
func (a *app) newLogger(w io.Writer, level slog.Level) *slog.Logger {
	if isTerminal(w) {
		return slog.New(tint.NewTextHandler(w, &tint.Options{Level: level, NoColor: !a.colour(w)}))
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

// logLevel is the level a checked setting names.
func logLevel(name string) slog.Level {
	switch name {
	case "debug":
		return slog.LevelDebug
	case "info":
		return slog.LevelInfo
	case "error":
		return slog.LevelError
	}
	return slog.LevelWarn
}
