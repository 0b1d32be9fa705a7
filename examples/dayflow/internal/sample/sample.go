// Package sample has a small mailbox and a calendar of invented people, to try
// the daily brief and to test it. Sam works at a printing house in Lisbon; it
// is Wednesday, 11 March 2026.
package sample

import (
	"embed"
	"io/fs"

	"helve.dev/helve/examples/dayflow/internal/day"
)

//go:embed data
var data embed.FS

// FS has the folder inbox and the file calendar.ics, as a data folder of the
// daily brief does.
var FS = sub(data)

// Today is the day that the mail and the events are written around.
var Today = day.New(2026, 3, 11)

const (
	// TZ is Sam's time zone.
	TZ = "Europe/Lisbon"
	// Me is Sam's address.
	Me = "sam@example.org"
)

// sub returns the folder data of the embedded files.
func sub(files embed.FS) fs.FS {
	dir, err := fs.Sub(files, "data")
	if err != nil {
		panic(err) // the name is a constant
	}
	return dir
}
