package main

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	unitPath   = "deploy/nexus.service"
	envPath    = "deploy/nexus.env"
	debianPath = "deploy/debian"

	docDir = "usr/share/doc/nexus/"
)

// addPackage adds the Debian package of a Linux target.
func (s *shelf) addPackage(src source, t target, program, notices []byte) error {
	files := []file{{"usr/bin/nexus", 0o755, program}, {docDir + "NOTICES.txt", 0o644, notices}}
	for _, f := range []struct{ from, to string }{
		{unitPath, "lib/systemd/system/nexus.service"},
		{filepath.Join(debianPath, "copyright"), docDir + "copyright"},
		{"README.md", docDir + "README.md"},
		{"CHANGELOG.md", docDir + "CHANGELOG.md"},
	} {
		body, err := os.ReadFile(f.from)
		if err != nil {
			return err
		}
		files = append(files, file{f.to, 0o644, body})
	}
	env, err := os.ReadFile(envPath)
	if err != nil {
		return err
	}
	files = append(files, file{"etc/default/nexus", 0o600, env}) // it may hold a password
	version := debianVersion(src.version)
	control, err := controlFiles(files, version, t.arch)
	if err != nil {
		return err
	}
	return s.add(fmt.Sprintf("nexus_%s_%s.deb", version, t.arch), debianPackage(control, files, src.time))
}

// controlFiles are what dpkg knows about a package besides its files. Go and
// Debian have the same names for the platforms that are released for.
func controlFiles(files []file, version, arch string) ([]file, error) {
	fields, err := os.ReadFile(filepath.Join(debianPath, "control"))
	if err != nil {
		return nil, err
	}
	size := 0
	var sums, conf strings.Builder
	for _, f := range sorted(files) {
		size += (len(f.body) + 1023) / 1024
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.body), f.name)
		if strings.HasPrefix(f.name, "etc/") {
			fmt.Fprintf(&conf, "/%s\n", f.name)
		}
	}
	head := fmt.Sprintf("Package: nexus\nVersion: %s\nArchitecture: %s\nInstalled-Size: %d\n", version, arch, size)
	control := []file{
		{"control", 0o644, append([]byte(head), fields...)},
		{"md5sums", 0o644, []byte(sums.String())},
		{"conffiles", 0o644, []byte(conf.String())},
	}
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		body, err := os.ReadFile(filepath.Join(debianPath, script))
		if err != nil {
			return nil, err
		}
		control = append(control, file{script, 0o755, body})
	}
	return control, nil
}

// debianPackage writes a package as deb(5) has it: an ar file with a version
// number and two tarballs.
func debianPackage(control, files []file, when time.Time) func(io.Writer) error {
	return func(w io.Writer) error {
		members := []file{{"debian-binary", 0o644, []byte("2.0\n")}}
		for _, part := range []struct {
			name  string
			files []file
		}{{"control.tar.gz", control}, {"data.tar.gz", withParents(files)}} {
			var b bytes.Buffer
			if err := tarball(below(part.files), when)(&b); err != nil {
				return err
			}
			members = append(members, file{part.name, 0o644, b.Bytes()})
		}
		return writeAr(w, members, when)
	}
}

// below names files as dpkg does, from a root that is called ".".
func below(files []file) []file {
	all := []file{{name: ".", mode: os.ModeDir | 0o755}}
	for _, f := range files {
		f.name = "./" + f.name
		all = append(all, f)
	}
	return all
}

// writeAr writes members in the order given, which dpkg relies on.
func writeAr(w io.Writer, members []file, when time.Time) error {
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, m := range members {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", m.name, when.Unix(), 0, 0, 0o100000|m.mode.Perm(), len(m.body))
		b.Write(m.body)
		if len(m.body)%2 != 0 {
			b.WriteByte('\n')
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}
