package schema_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helve.dev/helve/schema"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		candidates []string
		want       []string
	}{
		{"limt", []string{"limit", "offset"}, []string{"limit"}},
		{"depth", []string{"maxDepth", "path"}, []string{"maxDepth"}},
		{"depth", []string{"max_depth"}, []string{"max_depth"}},
		{"old-string", []string{"new_string", "old_string"}, []string{"old_string"}},
		{"oldString", []string{"old_string"}, []string{"old_string"}},
		{"City", []string{"city"}, []string{"city"}},
		{"citi", []string{"city", "unit"}, []string{"city"}},
		{"ctiy", []string{"city"}, []string{"city"}},
		{"city_name", []string{"city"}, []string{"city"}},
		{"lang", []string{"language"}, []string{"language"}},
		{"message", []string{"msg"}, nil},
		{"to", []string{"do", "top", "at"}, nil},
		{"id", []string{"ID"}, []string{"ID"}},
		{"foo", []string{"completely", "different"}, nil},
		{"recipent", []string{"recipient", "recipients", "subject"}, []string{"recipient", "recipients"}},
		{"a1", []string{"a1", "A1", "a_1", "a-1"}, []string{"a1", "A1", "a_1"}},
		{"", []string{"a", ""}, nil},
		{"-", []string{"_"}, nil},
		{"limit", nil, nil},
		{"limit", []string{"limit", "limit"}, []string{"limit"}},
		{"größe", []string{"grösse", "GRÖßE"}, []string{"GRÖßE", "grösse"}},
		{strings.Repeat("x", 1<<20), []string{strings.Repeat("x", 1<<20) + "y", "x"}, nil},
	} {
		if diff := cmp.Diff(c.want, schema.Nearest(c.name, c.candidates)); diff != "" {
			t.Errorf("%.40s among %.60v (-want +got):\n%s", c.name, c.candidates, diff)
		}
	}
}

// TestNearestTells has a name that a model sent, and one that was or was not meant by it.
func TestNearestTells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sent, name string
		near       bool
	}{
		{"untis", "unit", true},
		{"unit", "untis", true},
		{"units", "unit", true},
		{"uints", "unit", true},
		{"nmaes", "name", true},
		{"emials", "email", true},
		{"lmited", "limited", true},
		{"tiltes", "title", true},
		{"lmits", "limit", true}, //nolint:misspell // the slip is what is tested
		{"ids", "id", true},
		{"catgories", "category", true},
		{"queries", "query", true},
		{"adresses", "address", true},
		{"boxes", "box", true},
		{"tag", "tags", true},
		{"user_ids", "userId", true},
		{"user_di", "user_id", true},
		{"recipient_nmaes", "recipientName", true},
		{"from", "form", true},
		{"addrss", "address", true},
		{"latitutde", "latitude", true},
		{"lnaguage", "language", true},
		{"desciption", "description", true},
		{"recevier", "receiver", true},
		{"uri", "url", true},
		{"citi", "city", true},
		{"dateStart", "start_date", true},
		{"id_user", "userId", true},
		{"line", "line1", true},
		{"maxdepth", "max_depth", true},
		{"min_price", "max_price", false},
		{"minLength", "maxLength", false},
		{"old_string", "new_string", false},
		{"start_date", "end_date", false},
		{"offset_x", "offset_y", false},
		{"line1", "line2", false},
		{"sha256", "sha512", false},
		{"date", "rate", false},
		{"sort", "port", false},
		{"name", "game", false},
		{"dates", "data", false},
		{"lists", "last", false},
		{"names", "game", false},
		{"cots", "coat", false},
		{"as", "a", false},
		{"is", "i", false},
		{"us", "u", false},
		{"days", "dry", false},
		{"start", "state", false},
		{"before", "after", false},
		{"query", "limit", false},
		{"temperature", "time", false},
		{"lat", "lon", false},
	} {
		if got := len(schema.Nearest(c.sent, []string{c.name})) > 0; got != c.near {
			t.Errorf("%s for %s: near is %v, want %v", c.sent, c.name, got, c.near)
		}
	}
}
