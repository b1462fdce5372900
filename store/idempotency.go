package store

import (
	"encoding/json"
	"sync/atomic"
	"time"

	"nexus"
)

// keptFor is how long an answer can be had again.
const keptFor = 24 * time.Hour

// claimKey takes an idempotency key for this transaction. If an earlier call
// had it, the answer that call got is returned; two calls at once wait for each
// other, since the row is inserted first.
func (t *Tx) claimKey(k nexus.Idempotency, now time.Time, sweep bool) (any, error) {
	if sweep {
		if err := t.send(`DELETE FROM idempotency_keys WHERE created_at < $1`, nexus.Stamp(now.Add(-keptFor))); err != nil {
			return nil, err
		}
	}
	n, err := t.exec(`
		INSERT INTO idempotency_keys (operation, scope, idempotency_key, body_hash, created_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (operation, scope, idempotency_key) DO NOTHING`, k.Op, k.Scope, k.Key, k.Body, nexus.Stamp(now))
	if err != nil || n == 1 {
		return nil, err
	}
	if k.Proof != nil {
		if err := k.Proof(t); err != nil {
			return nil, err
		}
	}
	var body, answer, made string
	if _, err := t.one(`
		SELECT body_hash, answer, made_id FROM idempotency_keys
		WHERE operation = $1 AND scope = $2 AND idempotency_key = $3`, args(k.Op, k.Scope, k.Key), &body, &answer, &made); err != nil {
		return nil, err
	}
	switch {
	case body != k.Body:
		return nil, nexus.Errorf(nexus.Conflict, "This idempotency key was used for another request. Use a new key.")
	case answer == "":
		return nil, nexus.Errorf(nexus.Conflict,
			"This call was made before and made %q. Its answer held a secret, which is shown only once.", made).With("id", made)
	}
	return nexus.KeptAnswer(answer), nil
}

// keepAnswer stores what the call will be answered, unless it holds a secret.
func (t *Tx) keepAnswer(k nexus.Idempotency, answer any) error {
	if k.Secret {
		made := ""
		if m, ok := answer.(nexus.Maker); ok {
			made = m.MadeID()
		}
		return t.send(`UPDATE idempotency_keys SET made_id = $4 WHERE operation = $1 AND scope = $2 AND idempotency_key = $3`,
			k.Op, k.Scope, k.Key, made)
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return t.send(`UPDATE idempotency_keys SET answer = $4 WHERE operation = $1 AND scope = $2 AND idempotency_key = $3`,
		k.Op, k.Scope, k.Key, string(raw))
}

// A sweeper says now and then that it is time to throw old keys away.
type sweeper struct{ calls atomic.Uint64 }

func (s *sweeper) due() bool { return s.calls.Add(1)%256 == 1 }
