package sqlite

import (
	"context"
	"regexp"
	"strconv"
)

// Statements returns the text of every statement that s has prepared.
func (s *Store) Statements(ctx context.Context) (list []string) {
	s.reading.Range(func(text, _ any) bool {
		list = append(list, text.(string))
		return true
	})
	_ = s.write(ctx, func(t *tx) error {
		for text := range t.w.stmts {
			list = append(list, text)
		}
		return nil
	})
	return list
}

var parameter, bare = regexp.MustCompile(`\?(\d+)`), regexp.MustCompile(`\?( |$|\))`)

// Plan returns how SQLite carries out a statement, a line a step.
func (s *Store) Plan(ctx context.Context, text string) (steps []string, err error) {
	n := 0
	for _, m := range parameter.FindAllStringSubmatch(text, -1) {
		i, _ := strconv.Atoi(m[1])
		n = max(n, i)
	}
	n += len(bare.FindAllString(text, -1))
	rows, err := s.reads.QueryContext(ctx, "EXPLAIN QUERY PLAN "+text, make([]any, n)...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, rows.Err()
}
