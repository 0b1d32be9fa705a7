package helve

// A Reply is what a handler hands back when it wants more than a value. Nil is
// a reply without data.
type Reply struct {
	// Data is the result: any value that JSON can carry, or raw JSON as
	// [jsontext.Value]. Nil: null.
	Data any
	// Content holds blocks that are not data.
	Content []Content
	// Note is a remark to the model.
	Note string
	// Warnings are further remarks, shown with those of the pipeline.
	Warnings []string
	// Cost is what the call really cost, in the unit of [Contract.Cost]. Nil:
	// Contract.Cost.
	Cost *int64
}

// A Content is a block that is no structured data. Text belongs into the data.
type Content struct {
	// Type is "image", "audio", "file" or "link".
	Type string `json:"type"`
	// MediaType is the MIME type.
	MediaType string `json:"media_type,omitempty"`
	// Name is a name for people.
	Name string `json:"name,omitempty"`
	// URI is where a link leads or a file lies.
	URI string `json:"uri,omitempty"`
	// Data holds the bytes; base64 in JSON. They are not searched for secrets.
	Data []byte `json:"data,omitempty"`
}
