package serve

import (
	"net/http"
	"strings"

	"nexus/op"
	"nexus/topic"
)

// topicExport is the operation that a topic is exported with.
const topicExport = "topic_export"

const topicExportRoute = apiPrefix + "/topics/{topic_id}/export"

// serveTopicExport sends a topic as a file: Markdown, or JSON with ?format=json.
func (s *Server) serveTopicExport(w http.ResponseWriter, r *http.Request, o *op.Op) {
	arguments, err := s.routeArguments(r, "", []string{"topic_id"})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	data, err := face{s, "rest"}.run(r.Context(), o, arguments)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	e := data.(topic.Export)
	body, kind, ending := []byte(e.Document), "text/markdown; charset=utf-8", ".md"
	if e.Format == "json" {
		kind, ending = "application/json", ".json"
		if body, err = op.Marshal(exportedTopic{e.TopicID, e.TopicName, e.Count, *e.Messages}); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", `attachment; filename="`+topicFile(e.TopicName)+ending+`"`)
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(body) // nobody is left to tell
}

// exportedTopic is a topic as a file of JSON.
type exportedTopic struct {
	ID       string       `json:"topic_id"`
	Name     string       `json:"topic_name"`
	Count    int          `json:"message_count"`
	Messages []topic.Post `json:"messages"`
}

// topicFile is what a browser calls the file. Of the name it has only what is
// harmless in a header and in a file system.
func topicFile(name string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '-', r == '_':
			return r
		case r == ' ':
			return '-'
		}
		return -1
	}, name)
	if plain == "" {
		return "topic"
	}
	return plain[:min(60, len(plain))]
}
