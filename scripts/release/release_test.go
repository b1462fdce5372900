package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var commitTime = time.Date(2026, 5, 4, 3, 2, 2, 0, time.UTC)

func TestDebianVersion(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"1.2.3":                          "1.2.3",
		"v1.2.3":                         "1.2.3",
		"v1.2":                           "1.2",
		"v1.2.3-rc.1":                    "1.2.3~rc.1",
		"v1.2.3-rc-2_x":                  "1.2.3~rc.2.x",
		"v1.2.3-5-g0123456789ab":         "1.2.3+5.g0123456789ab",
		"v1.2.3-rc.1-5-g0123456789ab":    "1.2.3~rc.1+5.g0123456789ab",
		"v1.2.3-dirty":                   "1.2.3+dirty",
		"v1.2.3-5-g0123456789ab-dirty":   "1.2.3+5.g0123456789ab+dirty",
		"v1.2.3+build.7":                 "1.2.3+build.7",
		"v1.2.3-rc.1+build-7":            "1.2.3~rc.1+build.7",
		"dev":                            "0.0.0~dev",
		"dev-dirty":                      "0.0.0~dev+dirty",
		"0123456789ab":                   "0.0.0~dev+g0123456789ab",
		"7eeaa31-dirty":                  "0.0.0~dev+g7eeaa31.dirty",
		"g1234-dirty":                    "0.0.0~dev+g1234.dirty",
		"nightly":                        "0.0.0~dev+nightly",
		"nightly-3-g0123456789ab-dirty":  "0.0.0~dev+nightly.3.g0123456789ab.dirty",
		"0.0.0-20260504030201-a1b2c3d4e": "0.0.0~20260504030201.a1b2c3d4e",
	} {
		clean, err := cleanVersion(given)
		if err != nil {
			t.Error(err)
		}
		if got := debianVersion(clean); got != want {
			t.Errorf("%q becomes %q, want %q", given, got, want)
		}
	}
}

// What comes later is newer to dpkg, too.
func TestDebianVersionOrder(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Skip("needs dpkg")
	}
	inOrder := []string{
		"dev", "0123456789ab", "0.1.0-rc.1", "0.1.0-rc.2", "0.1.0-rc.2-4-gabcdef012345", "0.1.0", "0.1.0-4-g0123456789ab",
		"0.1.0-10-g0123456789ab", "0.1.1-rc.1", "0.1.1", "0.10.0",
	}
	for i, older := range inOrder[:len(inOrder)-1] {
		a, b := debianVersion(older), debianVersion(inOrder[i+1])
		if err := exec.Command("dpkg", "--compare-versions", a, "lt", b).Run(); err != nil {
			t.Errorf("%s is not older than %s: %v", a, b, err)
		}
	}
}

func TestCleanVersion(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "1.0 -X main.x=y", "../up", "1.0/2", "-1", "1.0\n"} {
		if got, err := cleanVersion(bad); err == nil {
			t.Errorf("%q was taken as %q", bad, got)
		}
	}
	if got, err := cleanVersion("verbose"); got != "verbose" || err != nil {
		t.Errorf("got %q, %v: the v is part of the word", got, err)
	}
}

// fill makes the archives and packages of two platforms around a program that is
// none, and returns the directory.
func fill(t *testing.T, version string) string {
	t.Helper()
	s := shelf{dir: t.TempDir()}
	src := source{version: version, time: commitTime}
	program, notices := []byte("the program"), []byte("the notices")
	err := errors.Join(
		s.addArchive(src, target{"windows", "arm64"}, program, notices),
		s.addArchive(src, target{"linux", "amd64"}, program, notices),
		s.addPackage(src, target{"linux", "amd64"}, program, notices),
		s.writeSums(),
	)
	if err != nil {
		t.Fatal(err)
	}
	return s.dir
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSums(t *testing.T) {
	t.Chdir("../..")
	dir := fill(t, "1.2.3")
	names := []string{"nexus_1.2.3_amd64.deb", "nexus_1.2.3_linux_amd64.tar.gz", "nexus_1.2.3_windows_arm64.zip"}
	var want strings.Builder
	for _, name := range names {
		fmt.Fprintf(&want, "%x  %s\n", sha256.Sum256(read(t, dir, name)), name)
	}
	sums := string(read(t, dir, "SHA256SUMS"))
	if diff := cmp.Diff(want.String(), sums); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if again := string(read(t, fill(t, "1.2.3"), "SHA256SUMS")); again != sums {
		t.Errorf("the second time it was\n%s, the first time\n%s", again, sums)
	}
}

// entries lists a tarball, "mode owner time name" each, and the bodies.
func entries(t *testing.T, tarball []byte) (list []string, bodies map[string]string) {
	t.Helper()
	zr, err := gzip.NewReader(bytes.NewReader(tarball))
	if err != nil {
		t.Fatal(err)
	}
	if !zr.ModTime.IsZero() || zr.Name != "" {
		t.Errorf("gzip says %v %q", zr.ModTime, zr.Name)
	}
	bodies = map[string]string{}
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return list, bodies
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		bodies[h.Name] = string(body)
		list = append(list, fmt.Sprintf("%04o %s:%s %s", h.Mode, h.Uname, h.Gname, h.Name))
		if !h.ModTime.Equal(commitTime) || h.Uid != 0 || h.Gid != 0 {
			t.Errorf("%s is of %v and belongs to %d:%d", h.Name, h.ModTime, h.Uid, h.Gid)
		}
	}
}

func TestArchive(t *testing.T) {
	t.Chdir("../..")
	dir := fill(t, "1.2.3")
	list, bodies := entries(t, read(t, dir, "nexus_1.2.3_linux_amd64.tar.gz"))
	want := []string{
		"0644 root:root nexus_1.2.3_linux_amd64/LICENSE",
		"0644 root:root nexus_1.2.3_linux_amd64/NOTICES.txt",
		"0644 root:root nexus_1.2.3_linux_amd64/README.md",
		"0755 root:root nexus_1.2.3_linux_amd64/nexus",
		"0644 root:root nexus_1.2.3_linux_amd64/nexus.service",
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := bodies["nexus_1.2.3_linux_amd64/nexus"]; got != "the program" {
		t.Errorf("the program is %q", got)
	}
	zr, err := zip.OpenReader(filepath.Join(dir, "nexus_1.2.3_windows_arm64.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer zr.Close()
	var names []string
	for _, f := range zr.File {
		names = append(names, f.Name)
		if !f.Modified.Equal(commitTime) {
			t.Errorf("%s is of %v", f.Name, f.Modified)
		}
	}
	const top = "nexus_1.2.3_windows_arm64/"
	if diff := cmp.Diff([]string{top + "LICENSE", top + "NOTICES.txt", top + "README.md", top + "nexus.exe"}, names); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// members reads an ar file.
func members(t *testing.T, ar []byte) map[string][]byte {
	t.Helper()
	rest, ok := bytes.CutPrefix(ar, []byte("!<arch>\n"))
	if !ok {
		t.Fatal("no ar file")
	}
	found := map[string][]byte{}
	for len(rest) > 0 {
		var name string
		var stamp, uid, gid, mode, size int
		if _, err := fmt.Sscanf(string(rest[:60]), "%s %d %d %d %o %d `", &name, &stamp, &uid, &gid, &mode, &size); err != nil {
			t.Fatalf("header %q: %v", rest[:60], err)
		}
		if int64(stamp) != commitTime.Unix() || uid != 0 || gid != 0 || mode != 0o100644 {
			t.Errorf("header %q", rest[:60])
		}
		found[name] = rest[60 : 60+size]
		rest = rest[60+size+size%2:]
	}
	return found
}

func TestPackage(t *testing.T) {
	t.Chdir("../..")
	deb := members(t, read(t, fill(t, "1.2.3"), "nexus_1.2.3_amd64.deb"))
	if got := string(deb["debian-binary"]); got != "2.0\n" {
		t.Errorf("debian-binary is %q", got)
	}
	list, _ := entries(t, deb["data.tar.gz"])
	list = slices.DeleteFunc(list, func(e string) bool { return strings.HasPrefix(e, "0755 root:root") && strings.HasSuffix(e, "/") })
	want := []string{
		"0600 root:root ./etc/default/nexus",
		"0644 root:root ./lib/systemd/system/nexus.service",
		"0755 root:root ./usr/bin/nexus",
		"0644 root:root ./usr/share/doc/nexus/CHANGELOG.md",
		"0644 root:root ./usr/share/doc/nexus/NOTICES.txt",
		"0644 root:root ./usr/share/doc/nexus/README.md",
		"0644 root:root ./usr/share/doc/nexus/copyright",
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	list, control := entries(t, deb["control.tar.gz"])
	want = []string{
		"0755 root:root ./", "0644 root:root ./conffiles", "0644 root:root ./control", "0644 root:root ./md5sums",
		"0755 root:root ./postinst", "0755 root:root ./postrm", "0755 root:root ./prerm",
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := control["./conffiles"]; got != "/etc/default/nexus\n" {
		t.Errorf("conffiles are %q", got)
	}
	if got := control["./control"]; !strings.HasPrefix(got, "Package: nexus\nVersion: 1.2.3\nArchitecture: amd64\nInstalled-Size: ") {
		t.Errorf("control is %q", got)
	}
}

// dpkg itself has the last word on what a package is.
func TestPackageReadByDpkg(t *testing.T) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("needs dpkg-deb")
	}
	t.Chdir("../..")
	deb := filepath.Join(fill(t, "0123456789ab-dirty"), "nexus_0.0.0~dev+g0123456789ab.dirty_amd64.deb")
	root := t.TempDir()
	for _, args := range [][]string{{"--info", deb}, {"--contents", deb}, {"--extract", deb, root}} {
		if out, err := exec.Command("dpkg-deb", args...).CombinedOutput(); err != nil || bytes.Contains(out, []byte("warning")) {
			t.Errorf("dpkg-deb %s: %v\n%s", args[0], err, out)
		}
	}
	if got := string(read(t, root, "usr", "bin", "nexus")); got != "the program" {
		t.Errorf("the program is %q", got)
	}
	version, err := exec.Command("dpkg-deb", "--field", deb, "Version").Output()
	if got := strings.TrimSpace(string(version)); got != "0.0.0~dev+g0123456789ab.dirty" || err != nil {
		t.Errorf("version %q, %v", got, err)
	}
}

// Nothing that is linked in may be passed on without its licence.
func TestThirdParty(t *testing.T) {
	t.Chdir("../..")
	notices, err := thirdParty(t.Context(), target{"linux", "amd64"})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"\ngo1.", "\ngithub.com/jackc/pgx/v5 v5.", "\nzombiezen.com/go/sqlite v1.", "\ngithub.com/spf13/cobra v1."} {
		if !bytes.Contains(notices, []byte(part)) {
			t.Errorf("nothing is said of %q", part)
		}
	}
	if err := addLicences(new(bytes.Buffer), "nobody's", t.TempDir()); err == nil {
		t.Error("a library without a licence was passed over")
	}
}

func TestParseTargets(t *testing.T) {
	t.Parallel()
	if got, err := parseTargets(everyTarget); len(got) != 6 || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []string{"", "linux", "linux/amd64 darwin"} {
		if got, err := parseTargets(bad); err == nil {
			t.Errorf("%q was taken as %v", bad, got)
		}
	}
}
