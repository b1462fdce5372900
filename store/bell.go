package store

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"nexus"
)

// What rings between processes: "NAME NUMBER" and then the keys, a line each.
// Datagrams of one sender are numbered, so a receiver notices when one was lost
// and then wakes everybody. More keys than fit are written as one star.
const maxDatagram = 8 << 10

const everything = nexus.EverybodyKey

func encodeRing(sender string, number uint64, keys []string) []byte {
	var b bytes.Buffer
	b.WriteString(sender + " " + strconv.FormatUint(number, 10))
	size := b.Len()
	for _, k := range keys {
		b.WriteByte('\n')
		b.WriteString(k)
	}
	if b.Len() > maxDatagram {
		b.Truncate(size)
		b.WriteString("\n" + everything)
	}
	return b.Bytes()
}

// heard keeps the last number heard of each sender.
type heard struct {
	last map[string]uint64
}

// take reads a datagram. Keys are nil when everybody must be woken: one was
// lost, too much changed, or the datagram is not one of ours.
func (h *heard) take(datagram []byte) (keys []string) {
	lines := strings.Split(string(datagram), "\n")
	sender, digits, _ := strings.Cut(lines[0], " ")
	number, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return nil
	}
	last, known := h.last[sender]
	h.last[sender] = number
	if known && number != last+1 {
		return nil
	}
	if len(lines) == 2 && lines[1] == everything {
		return nil
	}
	return lines[1:]
}

// slowPoll is the backstop where a doorbell works.
const slowPoll = 2 * time.Second

// run listens for the other processes on this file, and looks now and then
// whether it missed something. It looks only while somebody waits.
func (e *sqliteEngine) run(ctx context.Context, w *wakes) error {
	var listening sync.WaitGroup
	listening.Go(func() { e.bell.listen(ctx, w) })
	defer listening.Wait()

	every := slowPoll
	if !e.bell.rings() {
		every = e.poll
	}
	return backstop(ctx, w, every, func() (int64, error) {
		var last int64
		err := e.view(ctx, shortLane, func(tx *Tx) (err error) {
			last, err = tx.LastEvent()
			return err
		})
		return last, err
	})
}

// backstop wakes everybody when the log has grown since it last looked.
func backstop(ctx context.Context, w *wakes, every time.Duration, lastEvent func() (int64, error)) error {
	var seen int64
	timer := time.NewTimer(every)
	defer timer.Stop()
	for {
		if w.waiting() == 0 {
			select {
			case <-w.busy:
			case <-ctx.Done():
				return nil
			}
		}
		timer.Reset(every)
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil
		}
		last, err := lastEvent()
		if err == nil && last != seen {
			seen = last
			w.wakeAll()
		}
	}
}
