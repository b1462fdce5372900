package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
)

// announceKey says how to get into a hub that others can reach. While no key
// has been issued, nobody could come in: then the operator's own is shown, once.
func (a *app) announceKey(h *wiredNode) {
	path := operatorKeyPath(h.home)
	key, err := operatorKey(h.home)
	issued, unknown := h.node.bus.AnyKeys(context.Background())
	if err != nil || unknown != nil || issued || !showOnce(path+".shown") {
		fmt.Fprintln(a.stderr, "[nexus] Every call needs a key here. Yours, the operator's, is in "+path)
		return
	}
	fmt.Fprintf(a.stderr, `[nexus] Every call needs a key here, and none has been issued. This is the operator's; it is shown once and kept in %s:
[nexus]
[nexus]     %s
[nexus]
[nexus] Sign in with it at %s and create agents there, or connect an MCP host as the operator:
{
  "mcpServers": {
    "nexus": {
      "type": "http",
      "url": "%s",
      "headers": { "Authorization": "Bearer %s" }
    }
  }
}
`, path, key, h.info.Addresses.Dashboard, h.info.Addresses.MCP, key)
}

// showOnce tells whether something was not shown before, and remembers that it
// is now.
func showOnce(marker string) bool {
	f, err := os.OpenFile(marker, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return false
	case err != nil:
		slog.Warn("it cannot be remembered that the operator's key was shown", "err", err)
		return true
	}
	return f.Close() == nil
}
