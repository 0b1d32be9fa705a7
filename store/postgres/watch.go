package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"helve.dev/helve"
)

const (
	// reconnectEvery is how often those who watch are told to look, while nobody
	// listens for them.
	reconnectEvery = time.Second
	// aliveEvery is how often a quiet connection is asked whether it still is one.
	aliveEvery = 15 * time.Second
)

// WatchApprovals is [helve.Approvals.WatchApprovals]. The zero notice comes again
// whenever something may have been missed: after the connection that listens was
// lost, and every second until there is one again.
func (s *Store) WatchApprovals(ctx context.Context, tenant string, fn func(helve.ApprovalNotice)) error {
	sum := sha256.Sum256([]byte(escape(tenant))) // as the function tell has it
	return s.hub.watch(ctx, &watcher{hex.EncodeToString(sum[:]), fn})
}

// A watcher is somebody who wants to know of a tenant's approvals.
type watcher struct {
	tenant string
	fn     func(helve.ApprovalNotice)
}

var errClosed = errors.New("watch approvals: the store is closed")

// A hub listens on one connection for all who watch, as long as there are any.
type hub struct {
	connect func(context.Context) (*pgx.Conn, error)
	log     *slog.Logger
	back    context.Context // ends with the store
	done    *sync.WaitGroup

	mu        sync.Mutex
	watchers  map[*watcher]struct{}
	listening bool
	stop      context.CancelFunc // of the listener. Nil: there is none
}

func (h *hub) watch(ctx context.Context, w *watcher) error {
	if err := h.join(w); err != nil {
		return err
	}
	defer h.leave(w)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-h.back.Done():
		return errClosed
	}
}

func (h *hub) join(w *watcher) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.back.Err() != nil {
		return errClosed
	}
	if h.watchers == nil {
		h.watchers = map[*watcher]struct{}{}
	}
	h.watchers[w] = struct{}{}
	if h.stop == nil {
		ctx, stop := context.WithCancel(h.back)
		h.stop = stop
		h.done.Go(func() { h.run(ctx) })
	} else if h.listening {
		w.fn(helve.ApprovalNotice{})
	}
	return nil
}

func (h *hub) leave(w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watchers, w)
	if len(h.watchers) == 0 && h.stop != nil {
		h.stop()
		h.stop, h.listening = nil, false
	}
}

// close keeps others from joining and calls stop, which ends back.
func (h *hub) close(stop context.CancelFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	stop()
}

// run listens until ctx is done.
func (h *hub) run(ctx context.Context) {
	for {
		err := h.listen(ctx)
		if ctx.Err() != nil {
			return
		}
		h.log.WarnContext(ctx, "listen for approvals", "error", err)
		h.tell(ctx, "", helve.ApprovalNotice{})
		if pause(ctx, reconnectEvery) != nil {
			return
		}
	}
}

// listen connects and passes on what comes, until the connection is lost.
func (h *hub) listen(ctx context.Context) error {
	conn, err := h.connect(ctx)
	if err != nil {
		return err
	}
	defer func() {
		bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(bye) // it may be gone already
	}()
	var channel string
	if err := conn.QueryRow(ctx, `SELECT channel()`).Scan(&channel); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "LISTEN "+quote(channel)); err != nil {
		return err
	}
	h.setListening(ctx, true)
	defer h.setListening(ctx, false)
	h.tell(ctx, "", helve.ApprovalNotice{})
	for {
		wait, cancel := context.WithTimeout(ctx, aliveEvery)
		n, err := conn.WaitForNotification(wait)
		quiet := wait.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case err == nil:
			tenant, notice := parseNotice(n.Payload)
			h.tell(ctx, tenant, notice)
		case !quiet || conn.IsClosed():
			return err
		default:
			if err := conn.Ping(ctx); err != nil {
				return err
			}
		}
	}
}

// setListening does nothing for a listener that was stopped: another one may
// have taken its place.
func (h *hub) setListening(ctx context.Context, on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Err() == nil {
		h.listening = on
	}
}

// tell calls those who watch a tenant, or all for a zero notice.
func (h *hub) tell(ctx context.Context, tenant string, n helve.ApprovalNotice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	for w := range h.watchers {
		if w.tenant == tenant || tenant == "" {
			w.fn(n)
		}
	}
}

// parseNotice reads what the function tell wrote.
func parseNotice(payload string) (tenant string, n helve.ApprovalNotice) {
	tenant, rest, _ := strings.Cut(payload, " ")
	state, id, _ := strings.Cut(rest, " ")
	if id == "" { // it was too long to be told, or is none of ours
		return tenant, helve.ApprovalNotice{}
	}
	return tenant, helve.ApprovalNotice{ID: unescape(id), State: helve.ApprovalState(state)}
}
