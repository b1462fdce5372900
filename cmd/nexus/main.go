// Command nexus is the hub, the stdio server and the command line of Nexus.
//
// This package is the only place that reads flags, environment and the
// configuration file, and the only one that knows all the others.
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(run())
}

// run is main with its deferred calls done before the process ends.
func run() int {
	ctx, stop := interruptible(context.Background())
	defer stop()
	a := newApp()
	return a.report(rootCommand(a).ExecuteContext(ctx))
}
