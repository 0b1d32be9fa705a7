package postgres

import (
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// A query is a statement that is put together from constant pieces. Each "$?" of
// a piece stands for the argument that comes with it.
type query struct {
	sql  strings.Builder
	args []any
}

func (q *query) add(piece string, arg any) {
	q.args = append(q.args, arg)
	q.sql.WriteString(strings.ReplaceAll(piece, "$?", "$"+strconv.Itoa(len(q.args))))
}

// filter adds a piece where text is asked for.
func (q *query) filter(piece, text string) {
	if text != "" {
		q.add(piece, text)
	}
}

const defaultLimit = 1000 // of what a filter without one returns

// limit adds how many rows are wanted. Zero: defaultLimit. It is no argument,
// because the plan depends on it.
func (q *query) limit(n int) {
	if n <= 0 {
		n = defaultLimit
	}
	q.sql.WriteString(" LIMIT " + strconv.Itoa(n))
}

func (q *query) batch() *pgx.Batch {
	b := &pgx.Batch{}
	b.Queue(q.sql.String(), q.args...)
	return b
}

// scanner is a row.
type scanner interface{ Scan(dest ...any) error }
