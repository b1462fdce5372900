// Command nexus is the hub, the stdio server and the command line of Nexus.
//
// This package is the only place that reads flags, environment and the
// configuration file, and the only one that knows all the others.
package main

import (
	"context"
	"os"
	"runtime/debug"
)

func main() {
	os.Exit(run())
}

// run is main with its deferred calls done before the process ends.
func run() int {
	tuneMemory()
	ctx, stop := interruptible(context.Background())
	defer stop()
	a := newApp()
	err := rootCommand(a).ExecuteContext(ctx)
	if err == nil {
		err = a.helpError
	}
	return a.report(err)
}

// tuneMemory lets the heap grow further between two collections than Go does by
// itself, which saves a quarter of the processor's time under load, but not without
// end. Whoever sets GOGC or GOMEMLIMIT knows better.
func tuneMemory() {
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(400)
	}
	if _, set := os.LookupEnv("GOMEMLIMIT"); !set {
		debug.SetMemoryLimit(512 << 20) // beyond that it collects more often
	}
}
