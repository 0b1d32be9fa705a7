package schema

import (
	"sync/atomic"

	"helve.dev/helve/internal/jsonx"
)

// types is a set of JSON types.
type types uint8

const (
	tNull types = 1 << iota
	tBoolean
	tObject
	tArray
	tString
	tNumber
	tInteger // without tNumber: only integral numbers pass

	tAny = tNull | tBoolean | tObject | tArray | tString | tNumber | tInteger
)

var typeNames = map[string]types{
	"null": tNull, "boolean": tBoolean, "object": tObject, "array": tArray, "string": tString,
	"number": tNumber | tInteger, "integer": tInteger,
}

// A node is one compiled subschema. Nodes may form cycles; they are immutable once compiled.
type node struct {
	res   *resource
	place string // where the subschema stands, as a JSON Pointer into its document (a URI with fragment elsewhere)
	raw   []byte // the subschema's text, for messages

	always, never bool // the schemas true and false
	types         types
	enum          *enumRule
	num           *numberRule
	str           *stringRule
	obj           *objectRule
	arr           *arrayRule
	in            *inPlace
	carrier       *carrier

	description    string
	def            []byte // the text of `default`; nil when there is none
	deprecated     bool
	unevalProps    *node
	unevalItems    *node
	saysAdditional bool // the subschema itself says what further properties may be

	// What finish derives.
	jump         *node // the node that this one merely refers to
	direct       bool  // nothing applies in place, so that one look at the value is enough
	derived      bool
	lists        bool                       // the node, or what it applies in place, has `properties`
	closable     bool                       // Config.Closed closes the objects that this node describes
	described    atomic.Pointer[string]     // what describe returns
	names        atomic.Pointer[candidates] // and accepted
	hasDefault   bool                       // the node, or what holds whenever it does, has a default
	isDeprecated bool
}

// enumRule holds the values of enum, or the one of const.
type enumRule struct {
	values  []*tree
	strings nameIndex
	names   []string // the same
	numbers []jsonx.Decimal
	isConst bool
	also    *enumRule                  // enum beside const
	text    atomic.Pointer[string]     // what alternatives returns
	near    atomic.Pointer[candidates] // names, for those that are near to one
}

type limit struct {
	set   bool
	text  []byte
	value jsonx.Decimal
	small int64 // divided by ten to the power scale it is the value, when fits
	scale int
	fits  bool
}

type numberRule struct {
	min, max, above, below, multipleOf limit
}

type stringRule struct {
	minLen, maxLen int // -1: none
	pattern        *pattern
	format         *format
}

type property struct {
	name       string
	literal    string // how the name is spelled, if it takes no escapes, and else what is no literal
	head, mask uint64 // the first eight bytes of literal
	node       *node  // nil: the name is only required, or triggers something
	declared   bool   // `properties` lists it
	required   bool
	hasDefault bool // one that Normalize fills in
	deprecated bool
}

type objectRule struct {
	props      []property
	index      nameIndex
	required   []int          // indices into props
	defaults   int            // how many of props have a default
	next       []atomic.Int32 // what is likely to come first, and after each of props
	lessons    atomic.Int32   // how often next has been corrected
	listed     bool           // there is a `properties`, though it may be empty
	declared   int            // how many of props `properties` lists; they come first
	patterns   []patternProperty
	additional *node
	names      *node
	minProps   int
	maxProps   int // -1: none
	depends    []dependency
	hasSchemas bool // one of depends is a dependentSchemas
}

type patternProperty struct {
	pattern *pattern
	node    *node
}

// dependency is one entry of dependentRequired (needs) or dependentSchemas (node).
type dependency struct {
	trigger int
	needs   []int
	node    *node
}

type arrayRule struct {
	prefix             []*node
	items              *node
	contains           *node
	minContains        int
	maxContains        int // -1: none
	minItems, maxItems int // -1: none
	unique             bool
	containsEvaluates  bool // draft 2020-12: what contains matches counts as evaluated
}

// inPlace holds the keywords that apply subschemas to the same value.
type inPlace struct {
	ref          *node
	dynamic      *dynamicRef
	allOf        []*node
	anyOf, oneOf []*node
	not          *node
	cond         *node
	then, els    *node
}

// dynamicRef is a $dynamicRef (or $recursiveRef) whose target depends on the resources entered so far.
type dynamicRef struct {
	anchor  string
	initial *node
	targets map[*resource]*node
}

// inPlaceNodes calls f for each node that must hold for the same value whenever n does (definite) and for those that may have to.
func (n *node) inPlaceNodes(f func(sub *node, definite bool)) {
	if n.obj != nil {
		for _, d := range n.obj.depends {
			if d.node != nil {
				f(d.node, false)
			}
		}
	}
	if n.in == nil {
		return
	}
	one := func(sub *node, definite bool) {
		if sub != nil {
			f(sub, definite)
		}
	}
	one(n.in.ref, true)
	if n.in.dynamic != nil {
		f(n.in.dynamic.initial, true)
	}
	for _, sub := range n.in.allOf {
		f(sub, true)
	}
	for _, list := range [][]*node{n.in.anyOf, n.in.oneOf} {
		sole := soleAlternative(list)
		for _, sub := range list {
			f(sub, sub == sole)
		}
	}
	one(n.in.cond, false)
	one(n.in.then, false)
	one(n.in.els, false)
}

// soleAlternative returns the only branch that takes a value other than null, or nil.
func soleAlternative(list []*node) (sole *node) {
	for _, sub := range list {
		switch {
		case sub.types == tNull && sub.in == nil:
		case sole != nil:
			return nil
		default:
			sole = sub
		}
	}
	return sole
}
