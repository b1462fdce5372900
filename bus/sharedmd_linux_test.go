package bus_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"nexus"
)

// asNobody runs fn without root's power over files.
func asNobody(fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with its rights
		if os.Geteuid() == 0 {
			_ = unix.Setfsgid(65534)
			_ = unix.Setfsuid(65534)
		}
		fn()
	}()
	<-done
}

// In a directory where nothing may be written the old file stays.
func TestSharedMDReadOnly(t *testing.T) {
	eachShared(t, func(k sharedKit) {
		before := k.render()
		for d := k.home; strings.HasPrefix(d, os.TempDir()) && d != os.TempDir(); d = filepath.Dir(d) {
			chmod(t, d, 0o755)
		}
		chmod(t, filepath.Dir(k.dir()), 0o755)
		chmod(t, k.dir(), 0o555)
		defer chmod(t, k.dir(), 0o700)
		k.open("ann")
		asNobody(func() { k.fails("shared_md_render", nexus.RenderError, object{"workspace_id": k.workspace}) })
		if after, err := os.ReadFile(k.file()); err != nil || string(after) != before {
			t.Errorf("got %q %v", after, err)
		}
		k.want("what is left", k.left(), `["shared.md"]`)
	})
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}
