package op

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed guide/*.md
var guideFiles embed.FS

// A Guide is a longer text for a model, read on demand: what does not fit into
// the descriptions of the tools.
type Guide struct {
	URI   string
	Name  string
	Title string
	Text  string
}

// Guides lists the guides by name.
func Guides() []Guide {
	files, err := fs.Glob(guideFiles, "guide/*.md")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	var guides []Guide
	for _, file := range files {
		text, err := guideFiles.ReadFile(file)
		if err != nil {
			panic(err) // it was listed a moment ago
		}
		name := strings.TrimSuffix(path.Base(file), ".md")
		title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		guides = append(guides, Guide{"nexus://guide/" + name, name, title, string(text)})
	}
	return guides
}
