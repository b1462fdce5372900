package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
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
[nexus] Give each agent a key of its own: POST %s/agents, or nexus connect HOST --transport http --agent ID.
[nexus] As the operator an MCP host connects with:
{
  "mcpServers": {
    "nexus": {
      "type": "http",
      "url": "%s",
      "headers": { "Authorization": "Bearer %s" }
    }
  }
}
`, path, key, byName(h.info.Addresses.API), byName(h.info.Addresses.MCP), key)
}

// byName is an address as others would write it: one that means every address
// of this machine becomes its name.
func byName(address string) string {
	name, err := os.Hostname()
	if err != nil {
		return address
	}
	return strings.NewReplacer("://0.0.0.0:", "://"+name+":", "://[::]:", "://"+name+":").Replace(address)
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
