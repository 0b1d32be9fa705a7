package offline

import "helve.dev/helve/model"

type matter struct{}

func (r *rules) study(h *history) []*matter { return nil }
func (r *rules) proposals(h *history, tools []model.Tool, mail []*matter) []model.Call { return nil }
func (r *rules) brief(h *history, mail []*matter) string { return "This brief was put together by fixed rules, not by a language model." }
