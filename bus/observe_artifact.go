package bus

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"nexus"
)

// The types that an artifact is shown as. There are no others: a browser must not
// be made to run what an agent wrote.
const (
	TypePNG   = "image/png"
	TypeJPEG  = "image/jpeg"
	TypeGIF   = "image/gif"
	TypeWebP  = "image/webp"
	TypeText  = "text/plain; charset=utf-8"
	TypeBytes = "application/octet-stream"
)

const (
	// mostShown is how much of a text is shown with what is known of an artifact.
	mostShown = 256 << 10
	// sniffed is how much of it tells what it is.
	sniffed = 4 << 10
)

// ArtifactParams name an artifact.
type ArtifactParams struct {
	ArtifactID string `json:"artifact_id" jsonschema:"the artifact"`
}

// A ShownArtifact is an artifact with its content, where that is text.
type ShownArtifact struct {
	ObservedArtifact
	MediaType        *string `json:"media_type"`
	Content          *string `json:"content"`
	ContentTruncated bool    `json:"content_truncated"`
	// Unavailable is why the content cannot be had, null where it can.
	Unavailable *string `json:"unavailable"`
}

// ObserveArtifact is one artifact with its content, where that is text. One whose
// content cannot be had is shown all the same, with the reason.
func (s *Service) ObserveArtifact(ctx context.Context, p ArtifactParams) (ShownArtifact, error) {
	a, root, err := s.artifact(ctx, p.ArtifactID)
	if err != nil {
		return ShownArtifact{}, err
	}
	shown := ShownArtifact{ObservedArtifact: ObservedArtifact{a.ID, a.WorkspaceID, a.Type, a.Name, a.Stored, a.Path, a.Size, a.Metadata, a.CreatedAt}}
	opened, err := openArtifact(ctx, a, root)
	if err != nil {
		e, ours := errors.AsType[*nexus.Error](err)
		if !ours {
			return ShownArtifact{}, err
		}
		shown.Unavailable = &e.Msg
		return shown, nil
	}
	defer func() { _ = opened.Close() }()
	shown.MediaType, shown.Size = &opened.MediaType, opened.Size
	if opened.MediaType != TypeText {
		return shown, nil
	}
	text, err := io.ReadAll(io.LimitReader(opened, mostShown))
	if err != nil {
		return ShownArtifact{}, nexus.Errorf(nexus.NotFound, "The file of artifact %q cannot be read to its end.", a.ID)
	}
	shown.ContentTruncated = opened.Size > int64(len(text))
	content := strings.ToValidUTF8(string(wholeRunes(text)), "\uFFFD")
	shown.Content = &content
	return shown, nil
}

// An OpenedArtifact is an artifact whose bytes can be read. Close it.
type OpenedArtifact struct {
	io.ReadSeekCloser
	Name      string // what a file of it would be called
	MediaType string // one of those that are safe to show
	Size      int64
	ModTime   time.Time
}

// OpenArtifact opens the bytes of an artifact.
func (s *Service) OpenArtifact(ctx context.Context, id string) (*OpenedArtifact, error) {
	if err := nexus.ActorFrom(ctx).Needs(nexus.ScopeRead, "an artifact"); err != nil {
		return nil, err
	}
	a, root, err := s.artifact(ctx, id)
	if err != nil {
		return nil, err
	}
	return openArtifact(ctx, a, root)
}

// artifact finds an artifact, and where its workspace is.
func (s *Service) artifact(ctx context.Context, id string) (a Artifact, root string, err error) {
	if err := required("artifact_id", id); err != nil {
		return a, "", err
	}
	a, err = nexus.View(ctx, s.store, func(tx Tx) (Artifact, error) {
		a, found, err := tx.Artifact(id)
		if err != nil || !found {
			return a, orNotFound(err, "There is no artifact %q.", clip(id))
		}
		if _, err := observed(ctx, a.WorkspaceID); err != nil {
			return a, err
		}
		w, _, err := tx.Workspace(a.WorkspaceID)
		root = w.Root
		return a, err
	})
	if a.Stored = StoredPath; a.Content != nil {
		a.Stored = StoredInline
	}
	return a, root, err
}

// openArtifact opens what an artifact holds, or the file that it names.
func openArtifact(ctx context.Context, a Artifact, root string) (*OpenedArtifact, error) {
	opened := &OpenedArtifact{Name: cmp.Or(deref(a.Name), a.ID)}
	if a.Content != nil {
		opened.ReadSeekCloser, opened.Size = inMemory{strings.NewReader(*a.Content)}, int64(len(*a.Content))
		opened.ModTime, _ = nexus.ParseStamp(a.CreatedAt) // a time that cannot be read is none
	} else if err := opened.openFile(ctx, root, deref(a.Path)); err != nil {
		return nil, err
	}
	head := make([]byte, sniffed)
	n, err := io.ReadFull(opened, head)
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		_, err = opened.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = opened.Close()
		return nil, nexus.Errorf(nexus.NotFound, "The file of artifact %q cannot be read.", a.ID)
	}
	opened.MediaType = mediaType(head[:n])
	return opened, nil
}

// inMemory is a text that needs no closing.
type inMemory struct{ *strings.Reader }

func (inMemory) Close() error { return nil }

// openFile opens the file that an artifact names, if it is still in the project.
// Whoever may name a file may name any that the hub can read, so only those who
// run the hub are shown what is in it.
func (o *OpenedArtifact) openFile(ctx context.Context, root, path string) error {
	if err := nexus.ActorFrom(ctx).Administers(); err != nil {
		return err
	}
	inside, err := within(root, path)
	if err != nil {
		return err
	}
	if _, err := fileSize(root, inside, path); nexus.CodeOf(err) == nexus.ValidationError {
		return nexus.Errorf(nexus.NotFound, "The file %q is not there any more.", path)
	} else if err != nil { // nothing but a file is opened
		return err
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nexus.Errorf(nexus.WorkspaceUnresolved, "The project directory %q cannot be read.", root)
	}
	defer func() { _ = dir.Close() }()
	file, err := dir.OpenFile(inside, os.O_RDONLY|syscall.O_NONBLOCK, 0) // what became a pipe meanwhile holds nobody up
	if err != nil {
		return nexus.Errorf(nexus.NotFound, "The file %q cannot be read.", path)
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		_ = file.Close()
		return nexus.Errorf(nexus.NotFound, "%q is not a file any more.", path)
	}
	o.use(file, info)
	return nil
}

func (o *OpenedArtifact) use(file *os.File, info fs.FileInfo) {
	o.ReadSeekCloser, o.Name, o.Size, o.ModTime = file, filepath.Base(file.Name()), info.Size(), info.ModTime()
}

// mediaType is the safe type of what begins like this: a picture of a kind that
// holds no script, plain text for everything that can be read, or bytes.
func mediaType(head []byte) string {
	for kind, magic := range map[string]string{TypePNG: "\x89PNG\r\n\x1a\n", TypeJPEG: "\xff\xd8\xff", TypeGIF: "GIF8"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return kind
		}
	}
	if len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP" {
		return TypeWebP
	}
	if utf8.Valid(wholeRunes(head)) && !bytes.ContainsFunc(head, isControl) {
		return TypeText
	}
	return TypeBytes
}

// isControl tells whether a character is in no text.
func isControl(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1b", r) }

// wholeRunes leaves out a character of which only the beginning was read.
func wholeRunes(text []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if last := text[len(text)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return text[:len(text)-i]
			}
			break
		}
	}
	return text
}
