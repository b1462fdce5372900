package nexus

import _ "embed"

// License is the text of Nexus's licence.
//
//go:embed LICENSE
var License []byte
