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
		{"old-string", []string{"new_string", "old_string"}, []string{"old_string", "new_string"}},
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
