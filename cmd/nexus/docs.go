package main

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nexus"
	"nexus/docs"
)

func docsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "docs [PAGE]",
		Short: "Read the documentation",
		Long: `List the pages of the documentation, or print one as Markdown. They are those of
this very version.`,
		Example: "  nexus docs\n  nexus docs connect\n  nexus docs operations | less",
		Args:    atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listPages(cmd)
			}
			return a.printPage(args[0])
		},
	}
}

// A docsPage is a page as a list shows it.
type docsPage struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	text  string
}

func docsPages() (pages []docsPage) {
	err := fs.WalkDir(docs.Pages, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(docs.Pages, file)
		title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		pages = append(pages, docsPage{strings.TrimSuffix(path.Base(file), ".md"), title, string(text)})
		return err
	})
	if err != nil {
		panic(err) // the pages are in the program
	}
	slices.SortFunc(pages, func(a, b docsPage) int { return strings.Compare(a.Name, b.Name) })
	return pages
}

func (a *app) listPages(cmd *cobra.Command) error {
	pages := docsPages()
	if a.wantsJSON(cmd) {
		return printJSON(a.stdout, items(pages))
	}
	rows := [][]string{{"PAGE", "WHAT IT IS ABOUT"}}
	for _, p := range pages {
		rows = append(rows, []string{p.Name, p.Title})
	}
	return printTable(a.stdout, rows)
}

func (a *app) printPage(name string) error {
	pages := docsPages()
	i := slices.IndexFunc(pages, func(p docsPage) bool { return p.Name == strings.TrimSuffix(name, ".md") })
	if i < 0 {
		var names []string
		for _, p := range pages {
			names = append(names, p.Name)
		}
		return nexus.Errorf(nexus.NotFound, "There is no page %q%s; nexus docs lists them.", shorten(name), didYouMean(name, names, ""))
	}
	if a.json {
		return printJSON(a.stdout, map[string]string{"name": pages[i].Name, "title": pages[i].Title, "text": pages[i].text})
	}
	_, err := a.stdout.Write([]byte(pages[i].text))
	return err
}
