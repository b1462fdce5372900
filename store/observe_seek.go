package store

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"nexus"
)

// disorder is by how much the order of ids and that of times may differ: an id
// is made when a row is, its time may be that of the call that waited for it.
const disorder = time.Minute

// seek finds, by halves, the first place from low on at which the times have come
// to a moment; high if there is none. at tells the time of the first row from a
// place on, "" for none. So a list by id needs no index by time.
func seek(low, high int64, moment string, at func(place int64) (string, error)) (int64, error) {
	for low < high {
		middle := low + (high-low)/2
		time, err := at(middle)
		if err != nil {
			return 0, err
		}
		if time != "" && time < moment {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, nil
}

// MessageBounds are ids between which all messages of a span of time are, and
// few others. A moment that is "" bounds nothing.
func (t *Tx) MessageBounds(since, until string) (above, below string, err error) {
	var first, last string
	if _, err := t.one(`SELECT (SELECT min(message_id) FROM messages), (SELECT max(message_id) FROM messages)`, nil, &first, &last); err != nil {
		return "", "", err
	}
	prefix, low, ok := timed(first)
	same, high, sure := timed(last)
	if !ok || !sure || prefix != same { // ids that do not tell: they are all looked at
		return "", lastText, nil
	}
	find := func(moment string, shift time.Duration, before int64) (string, error) {
		place, err := seek(low, high+1, shifted(moment, shift), func(place int64) (at string, err error) {
			_, err = t.one(`SELECT created_at FROM messages WHERE message_id >= $1 ORDER BY message_id LIMIT 1`, args(placed(prefix, place)), &at)
			return at, err
		})
		return placed(prefix, place-before), err
	}
	below = lastText
	// One place may hold several messages, of which the first was looked at: what
	// is from a moment on may begin at the place before.
	if since != "" {
		if above, err = find(since, -disorder, 1); err != nil {
			return "", "", err
		}
	}
	if until != "" {
		below, err = find(until, disorder, 0)
	}
	return above, below, err
}

// EventSince is a number from which on all events from a moment on are.
func (t *Tx) EventSince(moment string) (int64, error) { return t.seekEvent(moment, -disorder) }

// EventUntil is a number below which all events before a moment are.
func (t *Tx) EventUntil(moment string) (int64, error) { return t.seekEvent(moment, disorder) }

func (t *Tx) seekEvent(moment string, shift time.Duration) (int64, error) {
	var first, last int64
	if _, err := t.one(`SELECT (SELECT min(event_id) FROM events), (SELECT max(event_id) FROM events)`, nil, &first, &last); err != nil {
		return 0, err
	}
	return seek(first, last+1, shifted(moment, shift), func(place int64) (at string, err error) {
		_, err = t.one(`SELECT created_at FROM events WHERE event_id >= $1 ORDER BY event_id LIMIT 1`, args(place), &at)
		return at, err
	})
}

func shifted(moment string, by time.Duration) string {
	at, err := nexus.ParseStamp(moment)
	if err != nil {
		return moment
	}
	return nexus.Stamp(at.Add(by))
}

// timeDigits is how many hexadecimal digits of an id ascend with time.
const timeDigits = 12

// timed takes an id apart into its prefix and the number that ascends with time.
func timed(id string) (prefix string, place int64, ok bool) {
	i := strings.LastIndexByte(id, '_') + 1
	if len(id) < i+timeDigits {
		return "", 0, false
	}
	place, err := strconv.ParseInt(id[i:i+timeDigits], 16, 64)
	return id[:i], place, err == nil
}

func placed(prefix string, place int64) string {
	return fmt.Sprintf("%s%0*x", prefix, timeDigits, place)
}
