package bus

import (
	"context"
	"strings"
	"time"
	"unicode"

	"nexus"
)

// A Channel is a label on messages. It decides where a message is filed, never
// who gets it.
type Channel struct {
	ID          string `json:"channel_id"`
	WorkspaceID string `json:"workspace_id"`
	Name        string `json:"name"`
	CreatedAt   string `json:"created_at"`
}

// generalChannel is the one channel every workspace has.
const generalChannel = "general"

type channelRows interface {
	Channel(id string) (Channel, bool, error)
	ChannelNamed(workspaceID, name string) (Channel, bool, error)
	Channels(workspaceID string) ([]Channel, error)
	// InsertChannel tells whether the name was free.
	InsertChannel(Channel) (created bool, err error)
}

// CreateChannelParams name a new channel.
type CreateChannelParams struct {
	ProjectRoot string `json:"project_root" jsonschema:"path of the project" required:"WORKSPACE_REQUIRED" path:"caller"`
	Name        string `json:"name" jsonschema:"its name, at most 64 characters"`
}

// CreatedChannel is the channel of that name, and whether it is new.
type CreatedChannel struct {
	Channel Channel `json:"channel"`
	Created bool    `json:"created"`
}

// CreateChannel makes a channel, or finds the one that has the name.
func (s *Service) CreateChannel(ctx context.Context, p CreateChannelParams) (CreatedChannel, error) {
	name, err := channelName(p)
	if err != nil {
		return CreatedChannel{}, err
	}
	at, err := s.locate(ctx, p.ProjectRoot)
	if err != nil {
		return CreatedChannel{}, err
	}
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (CreatedChannel, error) {
		if err := ownerPermitted(ctx, tx, "", createChannel); err != nil {
			return CreatedChannel{}, err
		}
		if _, _, err := s.enterWorkspace(tx, at, now); err != nil {
			return CreatedChannel{}, err
		}
		return s.ensureChannel(tx, at.id, name, now)
	})
}

func channelName(p CreateChannelParams) (string, error) {
	if strings.TrimSpace(p.ProjectRoot) == "" {
		err := noWorkspace()
		return "", err
	}
	name := strings.TrimSpace(p.Name)
	switch {
	case name == "":
		return "", nexus.Invalid("name", "name is required.")
	case len([]rune(name)) > 64:
		return "", nexus.Invalid("name", "name has %d characters; at most 64 are allowed.", len([]rune(name)))
	case strings.ContainsFunc(name, unicode.IsControl):
		return "", nexus.Invalid("name", "name holds a control character.")
	}
	return name, nil
}

func (s *Service) ensureChannel(tx Tx, workspaceID, name string, now time.Time) (CreatedChannel, error) {
	c, found, err := tx.ChannelNamed(workspaceID, name)
	if err != nil || found {
		return CreatedChannel{Channel: c}, err
	}
	c = Channel{s.newID("chn"), workspaceID, name, nexus.Stamp(now)}
	created, err := tx.InsertChannel(c)
	if err != nil {
		return CreatedChannel{}, err
	}
	if !created { // another process was faster
		c, _, err = tx.ChannelNamed(workspaceID, name)
		return CreatedChannel{Channel: c}, err
	}
	return CreatedChannel{c, true}, s.system(tx, now, "channel.created", "",
		map[string]any{"channel_id": c.ID, "workspace_id": workspaceID, "name": name})
}

// ProjectParams name a project.
type ProjectParams struct {
	ProjectRoot string `json:"project_root" jsonschema:"path of the project" required:"WORKSPACE_REQUIRED" path:"caller"`
}

// ChannelList is every channel of a workspace.
type ChannelList struct {
	Channels []Channel `json:"channels"`
}

// Channels lists the channels of a workspace. Every workspace has "general": the
// first listing makes it.
func (s *Service) Channels(ctx context.Context, p ProjectParams) (ChannelList, error) {
	at, err := s.locate(ctx, p.ProjectRoot)
	if err != nil {
		return ChannelList{}, err
	}
	seeded, err := nexus.View(ctx, s.store, func(tx Tx) (ChannelList, error) {
		all, err := tx.Channels(at.id)
		return ChannelList{all}, err
	})
	if err != nil || hasGeneral(seeded) {
		return seeded, err
	}
	now := s.now()
	return nexus.Update(ctx, s.store, func(tx Tx) (ChannelList, error) {
		if _, _, err := s.enterWorkspace(tx, at, now); err != nil {
			return ChannelList{}, err
		}
		if _, err := s.ensureChannel(tx, at.id, generalChannel, now); err != nil {
			return ChannelList{}, err
		}
		all, err := tx.Channels(at.id)
		return ChannelList{all}, err
	})
}

func hasGeneral(l ChannelList) bool {
	for _, c := range l.Channels {
		if c.Name == generalChannel {
			return true
		}
	}
	return false
}
