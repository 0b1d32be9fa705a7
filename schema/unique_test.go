package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUniqueItems has arrays that are compared item by item, and such that are compared by hashes.
func TestUniqueItems(t *testing.T) {
	t.Parallel()
	long := make([]string, 40)
	for i := range long {
		long[i] = fmt.Sprintf(`"%d"`, i)
	}
	v := compile(t, `{"uniqueItems":true}`, nil)
	for _, c := range []struct {
		name, in string
		at, as   int // at -1: unique
	}{
		{"few", `["a","b","c"]`, -1, 0},
		{"few, one twice", `["a","b","a"]`, 2, 0},
		{"few, one three times", `["b","a","a","a"]`, 2, 1},
		{"few, two twice", `["a","b","b","a"]`, 2, 1},
		{"few, another spelling", `["a","\u0061"]`, 1, 0},
		{"few, spelled apart", `["a","\u0062"]`, -1, 0},
		{"few, of several kinds", `["1",1,true,null,[],{}]`, -1, 0},
		{"numbers", `[1,2,1.0]`, 2, 0},
		{"numbers, the other way round", `[1.0,2,1]`, 2, 0},
		{"zeros", `[0,1,-0]`, 2, 0},
		{"fractions", `[0.5,1.5,5e-1]`, 2, 0},
		{"a number and a string", `[1,"1",true,"true"]`, -1, 0},
		{"rows that begin alike", `[[1,2],[1,3],[1.0,2]]`, 2, 0},
		{"objects that begin alike", `[{"a":1,"b":1},{"a":1,"b":2},{"a":1.0,"b":1}]`, 2, 0},
		{"objects whose members come in other orders", `[{"a":1,"b":2},{"b":2,"c":1},{"b":2,"a":1}]`, 2, 0},
		{"an object and an empty one", `[{"a":1},{},{"a":2},{}]`, 3, 1},
		{"arrays within arrays", `[["a","b"],["b","a"],["a","c"]]`, -1, 0},
		{"numbers far beyond float64", `[9007199254740993,9007199254740992]`, -1, 0},
		{"objects in another order", `[{"a":1,"b":[2]},{"b":[2.0],"a":1}]`, 1, 0},
		{"objects that differ deep inside", `[{"a":{"b":1}},{"a":{"b":2}}]`, -1, 0},
		{"empty", `[]`, -1, 0},
		{"eight", `["1","2","3","4","5","6","7","8"]`, -1, 0},
		{"nine, the last twice", `["1","2","3","4","5","6","7","8","8"]`, 8, 7},
		{"many", "[" + strings.Join(long, ",") + "]", -1, 0},
		{"many, the first again at the end", "[" + strings.Join(long, ",") + `,"0"]`, 40, 0},
		{"many, several twice: the first is told", "[" + strings.Join(long, ",") + `,"30","2","7"]`, 40, 30},
	} {
		var want []fault
		if c.at >= 0 {
			want = []fault{{Path: fmt.Sprintf("/%d", c.at), Problem: fmt.Sprintf("is the same as item %d; each item may occur once", c.as)}}
		}
		if diff := cmp.Diff(want, faults(v.Validate([]byte(c.in)))); diff != "" {
			t.Errorf("%s: faults (-want +got):\n%s", c.name, diff)
		}
	}
}
