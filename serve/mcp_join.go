package serve

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"

	"nexus"
	"nexus/op"
	"nexus/topic"
)

type memoryKey struct{}

// withMemory lets the calls of a connection find what it remembers.
func withMemory(ctx context.Context, m memory) context.Context {
	return context.WithValue(ctx, memoryKey{}, m)
}

// runTopic calls an operation of topics with the names that its connection has
// there, and remembers the one it gets. On a connection without a memory every
// call says who makes it.
func (m *MCP) runTopic(ctx context.Context, o *op.Op, arguments json.RawMessage) op.Answer {
	keeps, _ := ctx.Value(memoryKey{}).(memory)
	if keeps == nil {
		return m.call(ctx, o, arguments)
	}
	known := nexus.Memberships{Held: keeps.joined(ctx, false)}
	if o.Joins {
		known.Fresh = topic.NewToken()
	}
	a := m.call(nexus.WithMemberships(ctx, known), o, arguments)
	switch {
	case o.Joins && a.Code == "":
		m.noteJoined(ctx, keeps, a.Body)
	case a.Code == nexus.AgentNotJoined: // another node may have noted more
		if known.Held = keeps.joined(ctx, true); len(known.Held) > 0 {
			return m.call(nexus.WithMemberships(ctx, known), o, arguments)
		}
	}
	return a
}

func (m *MCP) noteJoined(ctx context.Context, keeps memory, answer []byte) {
	var got nexus.Membership
	err := json.Unmarshal(answer, &got)
	if err == nil {
		err = keeps.remember(context.WithoutCancel(ctx), func(s *sessionState) { s.join(got) })
	}
	if err != nil { // the client has the token, and can show it itself
		m.log.ErrorContext(ctx, "an MCP session does not know what it joined", "error", err)
	}
}

// join adds a name, as the latest of its topic. A session that joins without end
// loses its oldest names.
func (s *sessionState) join(m nexus.Membership) {
	const most = 256
	s.Joined = slices.DeleteFunc(slices.Clone(s.Joined), func(old nexus.Membership) bool {
		return old.TopicID == m.TopicID && old.Name == m.Name
	})
	s.Joined = append(s.Joined, m)
	if extra := len(s.Joined) - most; extra > 0 {
		s.Joined = s.Joined[extra:]
	}
}

// sessionName is what a session is called in the store. Whoever reads that learns
// no id with which to come in as somebody else.
func sessionName(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}

// sealed is the state as the store may have it: tokens can be read only by one
// who comes with the id of the session.
func (s sessionState) sealed(id string) (sessionState, error) {
	return s.withTokens(id, func(box cipher.AEAD, token string) (string, error) {
		nonce := make([]byte, box.NonceSize())
		_, _ = rand.Read(nonce) // it never fails
		return base64.RawStdEncoding.EncodeToString(box.Seal(nonce, nonce, []byte(token), nil)), nil
	})
}

// opened undoes sealed.
func (s sessionState) opened(id string) (sessionState, error) {
	return s.withTokens(id, func(box cipher.AEAD, token string) (string, error) {
		b, err := base64.RawStdEncoding.DecodeString(token)
		if err != nil || len(b) < box.NonceSize() {
			return "", errors.New("a token that cannot be read")
		}
		plain, err := box.Open(nil, b[:box.NonceSize()], b[box.NonceSize():], nil)
		return string(plain), err
	})
}

func (s sessionState) withTokens(id string, change func(cipher.AEAD, string) (string, error)) (sessionState, error) {
	if len(s.Joined) == 0 {
		return s, nil
	}
	key := sha256.Sum256([]byte("tokens of " + id))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return s, err
	}
	box, err := cipher.NewGCM(block)
	if err != nil {
		return s, err
	}
	s.Joined = slices.Clone(s.Joined)
	for i := range s.Joined {
		if s.Joined[i].Token, err = change(box, s.Joined[i].Token); err != nil {
			return s, err
		}
	}
	return s, nil
}
