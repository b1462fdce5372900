package main

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	// numbered is a version as tags have it, and what git adds to one when
	// commits came after it.
	numbered  = regexp.MustCompile(`^(\d+\.\d+(?:\.\d+)*)(-[^+]+?)??(?:-(\d+)-(g[0-9a-f]+))?(\+.*?)?(-dirty)?$`)
	bareHash  = regexp.MustCompile(`^[0-9a-f]{7,64}(-dirty)?$`)
	goodChars = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+~_-]*$`)
	noDebian  = regexp.MustCompile(`[^0-9A-Za-z.+~]+`)
)

// cleanVersion takes the v from a tag and refuses what cannot be part of a file's
// name or of a linker flag.
func cleanVersion(version string) (string, error) {
	if len(version) > 1 && version[0] == 'v' && version[1] >= '0' && version[1] <= '9' {
		version = version[1:]
	}
	if !goodChars.MatchString(version) {
		return "", fmt.Errorf("%q cannot be a version: letters, digits and . + ~ _ - may be in it", version)
	}
	return version, nil
}

// debianVersion is the version as Debian orders it: what comes before a release
// has a tilde, what comes after it a plus. A version without a number is older
// than every release.
func debianVersion(version string) string {
	m := numbered.FindStringSubmatch(version)
	if m == nil {
		name, _ := strings.CutPrefix(version, "dev")
		if bareHash.MatchString(name) {
			name = "g" + name
		}
		name = plain(name)
		if name == "" {
			return "0.0.0~dev"
		}
		return "0.0.0~dev+" + name
	}
	debian := m[1]
	if m[2] != "" {
		debian += "~" + plain(m[2])
	}
	if m[3] != "" {
		debian += "+" + m[3] + "." + m[4]
	}
	if m[5] != "" {
		debian += "+" + plain(m[5])
	}
	if m[6] != "" {
		debian += "+dirty"
	}
	return debian
}

// plain puts a point where Debian allows no such character.
func plain(s string) string {
	return strings.Trim(noDebian.ReplaceAllString(s, "."), ".+~")
}
