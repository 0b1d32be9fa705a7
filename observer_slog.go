package helve

import (
	"context"
	"log/slog"
)

// LogObserver returns an observer that writes a line for each event to log:
// ends at level Info, failures at Warn, internal errors at Error, the rest at
// Debug. It writes content only where Config.ObserveContent puts it into the
// events. A nil log is [slog.Default].
func LogObserver(log *slog.Logger) Observer {
	if log == nil {
		log = slog.Default()
	}
	return &logObserver{log}
}

type logObserver struct{ log *slog.Logger }

func (o *logObserver) write(ctx context.Context, level slog.Level, text string, i *CallInfo, attrs ...slog.Attr) {
	if !o.log.Enabled(ctx, level) {
		return
	}
	all := make([]slog.Attr, 0, 6+len(attrs))
	all = append(all, slog.String("tool", i.Tool), slog.String("call", i.CallID))
	if i.Effect != 0 {
		all = append(all, slog.String("effect", i.Effect.String()))
	}
	if i.Tenant != "" {
		all = append(all, slog.String("tenant", i.Tenant))
	}
	if i.Run != "" {
		all = append(all, slog.String("run", i.Run))
	}
	if i.Parent != "" {
		all = append(all, slog.String("parent", i.Parent))
	}
	o.log.LogAttrs(ctx, level, text, append(all, attrs...)...)
}

func (o *logObserver) CallStarted(ctx context.Context, e CallStarted) context.Context {
	var attrs []slog.Attr
	if e.Arguments != nil {
		attrs = append(attrs, slog.String("arguments", string(e.Arguments)))
	}
	o.write(ctx, slog.LevelDebug, "call started", &e.CallInfo, attrs...)
	return ctx
}

func (o *logObserver) CallEnded(ctx context.Context, e CallEnded) {
	level := slog.LevelInfo
	switch e.Code {
	case "", CodePending:
	case CodeInternal:
		level = slog.LevelError
	default:
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{
		slog.String("code", string(e.Code)), slog.Duration("duration", e.Duration),
		slog.Int("attempts", e.Attempts), slog.Int("size", e.Size),
	}
	if e.Replayed {
		attrs = append(attrs, slog.Bool("replayed", true))
	}
	if e.Cached {
		attrs = append(attrs, slog.Bool("cached", true))
	}
	if e.Approval != "" {
		attrs = append(attrs, slog.String("approval", e.Approval))
	}
	if e.Alias != "" {
		attrs = append(attrs, slog.String("alias", e.Alias))
	}
	if len(e.Deprecated) > 0 {
		attrs = append(attrs, slog.Any("deprecated", e.Deprecated))
	}
	if e.Reference != "" {
		attrs = append(attrs, slog.String("reference", e.Reference))
	}
	if e.Envelope != nil {
		attrs = append(attrs, slog.String("envelope", string(e.Envelope)))
	}
	o.write(ctx, level, "call ended", &e.CallInfo, attrs...)
}

func (o *logObserver) CallProgressed(ctx context.Context, e CallProgressed) {
	o.write(ctx, slog.LevelDebug, "call progressed", &e.CallInfo,
		slog.Float64("done", e.Done), slog.Float64("total", e.Total), slog.String("message", e.Message))
}

func (o *logObserver) CallRetried(ctx context.Context, e CallRetried) {
	o.write(ctx, slog.LevelDebug, "call retried", &e.CallInfo,
		slog.Int("attempt", e.Attempt), slog.Duration("wait", e.Wait), slog.String("code", string(e.Code)),
		slog.String("message", e.Message))
}

func (o *logObserver) ApprovalChanged(ctx context.Context, e ApprovalChanged) {
	o.write(ctx, slog.LevelInfo, "approval "+string(e.State), &e.CallInfo,
		slog.String("approval", e.Approval), slog.String("rule", e.Rule), slog.String("by", e.By))
}

func (o *logObserver) CallLate(ctx context.Context, e CallLate) {
	o.write(ctx, slog.LevelWarn, "late result", &e.CallInfo,
		slog.String("state", string(e.State)), slog.Bool("recorded", e.Recorded), slog.Duration("after", e.After))
}
