package main

import (
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"helve.dev/helve/cmd/helvecmd"
	"helve.dev/helve/examples/dayflow/internal/day"
	"helve.dev/helve/examples/dayflow/internal/daytools"
	"helve.dev/helve/examples/dayflow/internal/sample"
)

// options are the flags that every command takes: sources, state and day.
type options struct {
	data, mail, calendar, state, store, today, zone, me string
}

// addTo adds the flags.
func (o *options) addTo(flags *pflag.FlagSet) {
	flags.StringVar(&o.data, "data", "", "`folder` with the mail and the .ics files; default: an invented person's")
	flags.StringVar(&o.mail, "mail", "", "mail alone: a `path` to an mbox, a Maildir or a folder of .eml files")
	flags.StringVar(&o.calendar, "calendar", "", "calendar alone: a `path` to an .ics file or a folder of them")
	flags.StringVar(&o.state, "state", "", "`file` that keeps the tasks, with the folder outbox beside it; default: in memory")
	flags.StringVar(&o.store, "store", "", "`where` approvals, runs and what was done are kept: sqlite:FILE or postgres://...; default: beside the tasks, else in memory")
	flags.StringVar(&o.today, "today", "", "the `day` of the brief, YYYY-MM-DD; default: today in the zone")
	flags.StringVar(&o.zone, "tz", "", "your time `zone`, such as Europe/Lisbon; default: the computer's")
	flags.StringVar(&o.me, "me", "", "your `address`; default: the most frequent recipient of the mail")
}

// resolve checks the flags and returns what they mean. The errors are for the
// person who typed them.
func (o *options) resolve() (*setting, error) {
	set := &setting{}
	if err := o.sources(set); err != nil {
		return nil, err
	}
	if err := o.day(set); err != nil {
		return nil, err
	}
	if o.me != "" {
		addr, err := mail.ParseAddress(o.me)
		if err != nil {
			return nil, helvecmd.Usagef("--me %q is no address such as ana@example.org", o.me)
		}
		set.me = addr.Address
	}
	if o.state != "" {
		dir := filepath.Dir(o.state)
		if !isDir(dir) {
			return nil, helvecmd.Usagef("--state %s: the folder %s does not exist; make it first", o.state, dir)
		}
		set.state, set.outbox = o.state, filepath.Join(dir, "outbox")
	}
	if err := o.keep(set); err != nil {
		return nil, err
	}
	return set, nil
}

// keep finds out where what was asked and done is remembered.
func (o *options) keep(set *setting) error {
	switch scheme, rest, _ := strings.Cut(o.store, ":"); {
	case o.store == "" && set.state != "":
		set.store = "sqlite:" + set.state + ".helve"
	case o.store == "":
	case scheme == "sqlite" && !isDir(filepath.Dir(rest)):
		return helvecmd.Usagef("--store %s: the folder %s does not exist; make it first", o.store, filepath.Dir(rest))
	case scheme != "sqlite" && scheme != "postgres" && scheme != "postgresql":
		return helvecmd.Usagef("--store %q is neither sqlite:FILE nor postgres://...", o.store)
	default:
		set.store = o.store
	}
	return nil
}

// sources finds out where mail and calendar are.
func (o *options) sources(set *setting) error {
	switch {
	case o.data != "" && (o.mail != "" || o.calendar != ""):
		return helvecmd.Usagef("give either --data, or --mail and --calendar, not both")
	case o.data != "" && !isDir(o.data):
		return helvecmd.Usagef("--data %s is not a folder; it must hold the mail and an .ics file", o.data)
	case o.data != "":
		set.mail = daytools.Source{Path: o.data}
		set.calendar = daytools.Source{Path: o.data}
		if dir := filepath.Join(o.data, "calendar"); isDir(dir) {
			set.calendar.Path = dir
		}
	case o.mail != "" || o.calendar != "":
		set.mail = daytools.Source{Path: o.mail}
		set.calendar = daytools.Source{Path: o.calendar}
	default:
		set.sample = true
		set.me = sample.Me
		set.mail = daytools.Source{FS: sample.FS}
		set.calendar = daytools.Source{FS: sample.FS}
	}
	return nil
}

// day finds out which day it is, and where.
func (o *options) day(set *setting) (err error) {
	zone := o.zone
	if zone == "" && set.sample {
		zone = sample.TZ
	}
	set.zone = time.Local
	if zone != "" {
		if set.zone, err = time.LoadLocation(zone); err != nil {
			return helvecmd.Usagef("--tz %q is no time zone; write it like Europe/Lisbon or UTC", zone)
		}
	}
	switch {
	case o.today != "":
		if set.today, err = day.Parse(o.today); err != nil {
			return helvecmd.Usagef("--today %q is no date; write it like 2026-03-11", o.today)
		}
	case set.sample:
		set.today = sample.Today
	default:
		set.today = day.Of(time.Now().In(set.zone))
	}
	return nil
}

// isDir reports whether there is a folder at path.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
