package topic

import (
	"context"

	"nexus"
)

// A Source is what another program kept of its topics.
type Source interface {
	// Topics are all topics, with the last number that each has given.
	Topics() ([]Topic, error)
	// Posts are messages after a number, in order.
	Posts(topicID string, after int64, limit int) ([]Post, error)
	Peers(topicID string) ([]Peer, error)
	Reservations(topicID string) ([]Reservation, error)
}

type importRows interface {
	// ImportTopic adds a topic that is not there.
	ImportTopic(Topic) (bool, error)
	// ImportPost adds a message unless it, or one of its number, is there.
	ImportPost(Post) (bool, error)
	// ImportCursor adds a cursor that is not there.
	ImportCursor(topicID string, p Peer) (bool, error)
	// Recount sets a topic's counters right after messages were imported.
	Recount(topicID string, lastSeq int64) error
}

// Imported tells what an import added. What was there already stays as it is.
type Imported struct {
	Topics       int `json:"topics"`
	Messages     int `json:"messages"`
	Cursors      int `json:"cursors"`
	Reservations int `json:"reservations"`
	// Skipped are messages whose number another message has here.
	Skipped int `json:"skipped_messages"`
}

// Import takes over topics with their ids, numbers, cursors and reserved names.
// Doing it again adds only what is new.
func (s *Service) Import(ctx context.Context, from Source) (Imported, error) {
	var sum Imported
	if err := administers(ctx); err != nil {
		return sum, err
	}
	topics, err := from.Topics()
	if err != nil {
		return sum, err
	}
	for _, t := range topics {
		one, err := change(ctx, s, func(tx Tx) (Imported, error) { return s.importTopic(ctx, tx, t, from) })
		if err != nil {
			return sum, err
		}
		sum.Topics += one.Topics
		sum.Messages += one.Messages
		sum.Cursors += one.Cursors
		sum.Reservations += one.Reservations
		sum.Skipped += one.Skipped
	}
	return sum, nil
}

func (s *Service) importTopic(ctx context.Context, tx Tx, t Topic, from Source) (Imported, error) {
	var done Imported
	created, err := tx.ImportTopic(t)
	if err != nil {
		return done, err
	}
	if created {
		done.Topics = 1
	}
	if _, err := find(ctx, t.ID, tx.LockTopic); err != nil {
		return done, err
	}
	if err := importPosts(tx, t, from, &done); err != nil {
		return done, err
	}
	if err := importPeers(tx, t, from, &done); err != nil {
		return done, err
	}
	if done == (Imported{Skipped: done.Skipped}) {
		return done, nil
	}
	tx.Wake(nexus.TopicKey(t.ID))
	return done, s.log(tx, t, "topic.imported", nexus.ActorFrom(ctx).Name(), map[string]any{"message_count": done.Messages}, s.now())
}

func importPosts(tx Tx, t Topic, from Source, done *Imported) error {
	for after := int64(0); ; {
		page, err := from.Posts(t.ID, after, mostRead)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			return tx.Recount(t.ID, t.LastSeq)
		}
		for _, p := range page {
			after = p.Seq
			added, err := tx.ImportPost(p)
			if err != nil {
				return err
			}
			if added {
				done.Messages++
				continue
			}
			if _, known, err := tx.Post(t.ID, p.ID); err != nil {
				return err
			} else if !known {
				done.Skipped++
			}
		}
	}
}

func importPeers(tx Tx, t Topic, from Source, done *Imported) error {
	peers, err := from.Peers(t.ID)
	if err != nil {
		return err
	}
	for _, p := range peers {
		added, err := tx.ImportCursor(t.ID, p)
		if err != nil {
			return err
		}
		if added {
			done.Cursors++
		}
	}
	reservations, err := from.Reservations(t.ID)
	if err != nil {
		return err
	}
	for _, r := range reservations {
		added, err := tx.InsertReservation(r)
		if err != nil {
			return err
		}
		if added {
			done.Reservations++
		}
	}
	return nil
}
