package day_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/examples/dayflow/internal/day"
)

func ExampleDate() {
	d, err := day.Parse("2026-03-14")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d, d.Weekday(), d.AddDays(18))
	// Output: 2026-03-14 Saturday 2026-04-01
}

// load returns a time zone by its name.
func load(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestParse(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		want day.Date
		ok   bool
	}{
		"2026-03-11":           {want: day.New(2026, 3, 11), ok: true},
		"2024-02-29":           {want: day.New(2024, 2, 29), ok: true},
		"0001-01-01":           {want: day.New(1, 1, 1), ok: true},
		"2026-02-29":           {},
		"2026-13-01":           {},
		"2026-3-11":            {},
		"0000-01-01":           {},
		"2026-03-11T00:00:00Z": {},
		" 2026-03-11":          {},
		"tomorrow":             {},
		"":                     {},
	}
	for text, tt := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got, err := day.Parse(text)
			if (err == nil) != tt.ok || got != tt.want {
				t.Errorf("Parse(%q) = %v, %v; want %v, %v", text, got, err, tt.want, tt.ok)
			}
		})
	}
}

func TestMustParsePanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("no panic for what is no date")
		}
	}()
	day.MustParse("soon")
}

func TestText(t *testing.T) {
	t.Parallel()
	type task struct {
		Due  *day.Date `json:"due"`
		Made day.Date  `json:"made,omitzero"`
	}
	due := day.MustParse("2026-03-12")
	text, err := json.Marshal(task{Due: &due})
	if err != nil || string(text) != `{"due":"2026-03-12"}` {
		t.Errorf("got %s, %v", text, err)
	}
	var got task
	if err := json.Unmarshal([]byte(`{"due":null,"made":"2026-03-11"}`), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(task{Made: day.New(2026, 3, 11)}, got); diff != "" {
		t.Errorf("unmarshal (-want +got):\n%s", diff)
	}
	if err := json.Unmarshal([]byte(`{"due":"next week"}`), &got); err == nil {
		t.Error("no error for what is no date")
	}
	if _, err := (day.Date{}).MarshalText(); !errors.Is(err, day.ErrZero) {
		t.Errorf("zero date: got %v, want ErrZero", err)
	}
	if got := (day.Date{}).String(); got != "" || !(day.Date{}).IsZero() {
		t.Errorf("zero date: got %q, want nothing", got)
	}
}

func TestArithmetic(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		from string
		days int
		want string
	}{
		"month end":   {from: "2026-01-31", days: 1, want: "2026-02-01"},
		"leap day":    {from: "2024-02-28", days: 1, want: "2024-02-29"},
		"no leap day": {from: "2026-02-28", days: 1, want: "2026-03-01"},
		"year end":    {from: "2026-12-31", days: 1, want: "2027-01-01"},
		"backwards":   {from: "2026-03-11", days: -14, want: "2026-02-25"},
		"nothing":     {from: "2026-03-11", days: 0, want: "2026-03-11"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, want := day.MustParse(tt.from), day.MustParse(tt.want)
			got := from.AddDays(tt.days)
			if got != want {
				t.Errorf("got %v, want %v", got, want)
			}
			if from.Before(got) != (tt.days > 0) || from.After(got) != (tt.days < 0) {
				t.Errorf("%v and %v are in the wrong order", from, got)
			}
		})
	}
}

func TestIn(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ zone, date, want string }{
		"winter":                 {zone: "Europe/Lisbon", date: "2026-03-11", want: "2026-03-11T00:00:00Z"},
		"summer":                 {zone: "Europe/Lisbon", date: "2026-07-01", want: "2026-07-01T00:00:00+01:00"},
		"no midnight in Beirut":  {zone: "Asia/Beirut", date: "2024-03-31", want: "2024-03-31T01:00:00+03:00"},
		"two midnights in Cuba":  {zone: "America/Havana", date: "2024-11-03", want: "2024-11-03T00:00:00-04:00"},
		"day before is repeated": {zone: "Asia/Beirut", date: "2024-10-27", want: "2024-10-27T00:00:00+02:00"},
		"west":                   {zone: "Pacific/Honolulu", date: "2026-03-11", want: "2026-03-11T00:00:00-10:00"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := day.MustParse(tt.date)
			at := d.In(load(t, tt.zone))
			if got := at.Format(time.RFC3339); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if got := day.Of(at); got != d {
				t.Errorf("the day begins on %v, want %v", got, d)
			}
			if got := day.Of(at.Add(-time.Second)); got != d.AddDays(-1) {
				t.Errorf("the second before is on %v", got)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	berlin := load(t, "Europe/Berlin")
	tests := map[string]struct{ wall, want string }{
		"plain":              {wall: "2026-03-11T09:30:00Z", want: "2026-03-11T09:30:00+01:00"},
		"left out":           {wall: "2026-03-29T02:30:00Z", want: "2026-03-29T03:30:00+02:00"},
		"first after gap":    {wall: "2026-03-29T03:00:00Z", want: "2026-03-29T03:00:00+02:00"},
		"shown twice":        {wall: "2026-10-25T02:30:00Z", want: "2026-10-25T02:30:00+02:00"},
		"after shown twice":  {wall: "2026-10-25T03:00:00Z", want: "2026-10-25T03:00:00+01:00"},
		"before shown twice": {wall: "2026-10-25T01:59:59Z", want: "2026-10-25T01:59:59+02:00"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wall, err := time.Parse(time.RFC3339, tt.wall)
			if err != nil {
				t.Fatal(err)
			}
			got := day.Resolve(wall, berlin)
			if got.Format(time.RFC3339) != tt.want {
				t.Errorf("got %s, want %s", got.Format(time.RFC3339), tt.want)
			}
			if back := day.Wall(got); name != "left out" && !back.Equal(wall) {
				t.Errorf("and back: got %s, want %s", back, wall)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"2026-03-11", "2024-02-29", "", "2026-02-30", "9999-12-31"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := day.Parse(text)
		if err != nil {
			return
		}
		if d.String() != text {
			t.Errorf("%q became %q", text, d)
		}
	})
}
