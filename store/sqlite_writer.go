package store

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A writer runs the updates of one process on a SQLite file. Callers queue up;
// whoever gets the turn leads: it drains the queue into one transaction, commits
// once and answers all. A lone caller leads itself and pays one commit, with no
// hand-over to another goroutine.
//
// A caller's error undoes that caller alone. Most errors come before the first
// write, when there is nothing to undo; so a batch first runs without savepoints,
// and only if one of its callers fails after writing does it run again with one
// for each.
type writer struct {
	open      func() (*sqliteConn, error)
	published func(keys []string)
	work      *work
	turnstile *turnstile

	turn chan struct{} // capacity one: whoever put the value in leads
	conn *sqliteConn   // touched by the leader only; nil until the next batch opens it

	mu    sync.Mutex
	queue []*job
}

// maxBatch bounds how long the first of a batch waits for the last.
const maxBatch = 256

// jobState is where a queued job stands: a caller may give up only while nobody
// has begun to run it.
type jobState struct{ atomic.Int32 }

const (
	jobWaiting int32 = iota
	jobStarted
	jobSkipped
)

func (w *writer) update(ctx context.Context, j *job) error {
	w.mu.Lock()
	w.queue = append(w.queue, j)
	w.mu.Unlock()
	for {
		select {
		case <-j.done:
			return nil
		case w.turn <- struct{}{}:
			w.lead(j)
		case <-ctx.Done():
			if j.state.CompareAndSwap(jobWaiting, jobSkipped) {
				return context.Cause(ctx)
			}
			<-j.done
			return nil
		}
	}
}

func (w *writer) queued() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.queue)
}

// lead runs one batch, unless the leader's own job was done while it waited for
// the turn. For those who have queued up meanwhile the leading goes on without it,
// so that they need not wait until one of them is awake to take over.
func (w *writer) lead(own *job) {
	select {
	case <-own.done:
	default:
		w.batch()
	}
	if w.queued() == 0 {
		<-w.turn
		return
	}
	go func() {
		for w.batch() {
		}
		<-w.turn
	}()
}

// batch runs those who wait, and tells whether there were any.
func (w *writer) batch() bool {
	w.mu.Lock()
	n := min(len(w.queue), maxBatch)
	batch := w.queue[:n:n]
	w.queue = w.queue[n:]
	w.mu.Unlock()

	started := batch[:0:n]
	for _, j := range batch {
		if j.state.CompareAndSwap(jobWaiting, jobStarted) {
			started = append(started, j)
		}
	}
	w.run(started)
	return n > 0
}

// run carries every job to its end. Where the database threw away more than the
// job at fault, the others run again.
func (w *writer) run(jobs []*job) {
	for savepoints := false; len(jobs) > 0; {
		again, why := w.attempt(jobs, savepoints)
		w.work.reruns.Add(int64(len(again)))
		if why == commitFailed || why == savepointNeeded && savepoints { // find out whose fault it was
			for _, j := range again {
				w.attempt([]*job{j}, false)
			}
			return
		}
		savepoints = savepoints || why == savepointNeeded
		jobs = again
	}
}

// Why jobs must run again.
type rerunReason int

const (
	noRerun rerunReason = iota
	transactionLost
	savepointNeeded
	commitFailed
)

// attempt runs the jobs in one transaction and returns those that must run
// again. A batch of one is never returned: it gets its error.
func (w *writer) attempt(jobs []*job, savepoints bool) (again []*job, why rerunReason) {
	leave := w.turnstile.enter()
	defer leave()
	if err := w.begin(); err != nil {
		w.discardConn(err)
		finish(jobs, err)
		return nil, noRerun
	}
	for i, j := range jobs {
		j.answer, j.keys, j.kinds, j.err = nil, nil, nil, nil
		dirty := w.runOne(j, savepoints)
		switch {
		case w.conn.AutocommitEnabled(): // a full disk undoes the whole transaction
			close(j.done)
			return append(append([]*job{}, jobs[:i]...), jobs[i+1:]...), transactionLost
		case dirty && len(jobs) > 1:
			_, _ = w.conn.exec("ROLLBACK")
			return jobs, savepointNeeded
		case dirty:
			_, _ = w.conn.exec("ROLLBACK")
			finish(jobs, nil)
			return nil, noRerun
		}
	}
	began := time.Now()
	if _, err := w.conn.exec("COMMIT"); err != nil {
		_, _ = w.conn.exec("ROLLBACK")
		w.discardConn(err)
		if len(jobs) > 1 {
			return jobs, commitFailed
		}
		finish(jobs, err)
		return nil, noRerun
	}
	w.work.commits.Since(began)
	w.work.batches.Observe(float64(len(jobs)))
	w.work.done(jobs...)
	w.publish(jobs)
	finish(jobs, nil)
	return nil, noRerun
}

func (w *writer) begin() error {
	if w.conn == nil {
		conn, err := w.open()
		if err != nil {
			return err
		}
		w.conn = conn
	}
	_, err := w.conn.exec("BEGIN IMMEDIATE")
	return err
}

// runOne runs a job. With a savepoint it undoes the job alone if it fails;
// without, it says that the job failed and left something behind.
func (w *writer) runOne(j *job, savepoint bool) (dirty bool) {
	if savepoint {
		if _, j.err = w.conn.exec("SAVEPOINT caller"); j.err != nil {
			return true
		}
	}
	before := w.conn.written
	tx := &Tx{conn: w.conn}
	answer, err := j.run(tx)
	if err == nil {
		err = w.conn.appendEvents(tx.events)
	}
	if err == nil && savepoint {
		_, err = w.conn.exec("RELEASE caller")
	}
	if err == nil {
		j.answer, j.keys, j.kinds = answer, tx.keys, tx.kinds
		return false
	}
	j.err = err
	if !savepoint {
		return w.conn.written != before
	}
	_, undone := w.conn.exec("ROLLBACK TO caller")
	_, released := w.conn.exec("RELEASE caller")
	return undone != nil || released != nil
}

// publish wakes those who wait for what the batch changed, before anybody is
// answered.
func (w *writer) publish(jobs []*job) {
	var keys []string
	for _, j := range jobs {
		if j.err == nil {
			keys = append(keys, j.keys...)
		}
	}
	w.published(keys)
}

// discardConn closes a connection that may not recover by itself (the file was
// read-only or gone, the disk failed), so that the next batch starts afresh.
func (w *writer) discardConn(err error) {
	if w.conn != nil && needsFreshConn(err) {
		_ = w.conn.close()
		w.conn = nil
	}
}

func finish(jobs []*job, err error) {
	for _, j := range jobs {
		if err != nil {
			j.answer, j.err = nil, err
		}
		close(j.done)
	}
}

// close waits for the turn, so that no batch is under way.
func (w *writer) close() error {
	select {
	case w.turn <- struct{}{}:
	case <-time.After(10 * time.Second):
	}
	if w.conn == nil {
		return nil
	}
	return w.conn.close()
}
