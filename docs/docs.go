// Package docs is what a user reads. The program has it inside, for "nexus docs".
package docs

import "embed"

// Pages are the pages as Markdown.
//
//go:embed *.md reference/*.md
var Pages embed.FS
