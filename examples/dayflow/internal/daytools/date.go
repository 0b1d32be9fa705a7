package daytools

import (
	"helve.dev/helve/examples/dayflow/internal/day"
	"helve.dev/helve/schema"
)

// Date is a day in arguments and results: YYYY-MM-DD.
type Date struct{ day.Date }

// JSONSchema says that a Date is the text of a date.
func (Date) JSONSchema() *schema.Schema { return schema.String().Format("date").Must() }

// dateOf returns the Date of a day, and nil for nil.
func dateOf(d *day.Date) *Date {
	if d == nil {
		return nil
	}
	return &Date{*d}
}
