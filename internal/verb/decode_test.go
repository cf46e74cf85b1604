package verb

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// sample has a field of every type that an input may have.
type sample struct {
	ID     record.ID      `json:"id" doc:"task to look at" cli:"arg"`
	Text   string         `json:"text,omitempty" doc:"words"`
	Count  int            `json:"count,omitempty" doc:"how many"`
	Sure   bool           `json:"sure,omitempty" doc:"really"`
	Labels []string       `json:"labels,omitempty" doc:"free words"`
	Only   []int          `json:"only,omitempty" doc:"indices"`
	Parts  []part         `json:"parts,omitempty" doc:"what it is made of"`
	Title  *string        `json:"title" doc:"new title"`
	Tags   *[]string      `json:"tags" doc:"new tags"`
	Rank   *task.Priority `json:"rank" doc:"0 to 4"`
	Limit  Count          `json:"limit,omitempty" doc:"how many at most"`
}

type part struct {
	Name   string `json:"name" doc:"what it is called"`
	Size   int    `json:"size,omitempty" doc:"how large"`
	Secret string `json:"secret,omitempty" doc:"-"`
}

func decodeSample(input string) (sample, error) {
	var in sample
	err := decode([]byte(input), reflect.ValueOf(&in).Elem(), clearing(fieldsOf(reflect.TypeFor[sample]())))
	return in, err
}

func ptr[T any](v T) *T { return &v }

// All that is missing is named at once.
func TestAllThatIsMissingIsNamed(t *testing.T) {
	fields := []Field{{Name: "id", Doc: "task", Required: true}, {Name: "text", Doc: "words"}, {Name: "to", Doc: "state", Required: true}, {Name: "why", Doc: "reason", Required: true}}
	err := fill(jsonObject{"text": "x"}, reflect.ValueOf(&struct{}{}).Elem(), fields, "steps[0].")
	if e := new(record.Error); !errors.As(err, &e) || e.Code != record.InvalidInput || e.Msg != "steps[0].id, steps[0].to and steps[0].why are missing" || e.Hint.String() != "id: task; to: state; why: reason" {
		t.Errorf("got %v, %v", e, e.Hint)
	}
}

// What is understood: JSON as declared, and the habits of models that mean one thing only.
func TestDecodeUnderstands(t *testing.T) {
	for _, tt := range []struct {
		name, input string
		want        sample
	}{
		{"a field of every type",
			`{"id":"A-1","text":"x","count":3,"sure":true,"labels":["a","b"],"only":[0,2],"parts":[{"name":"p","size":1}],"title":"T"}`,
			sample{ID: "A-1", Text: "x", Count: 3, Sure: true, Labels: []string{"a", "b"}, Only: []int{0, 2},
				Parts: []part{{Name: "p", Size: 1}}, Title: ptr("T")}},
		{"a number as text", `{"id":"A-1","count":"3"}`, sample{ID: "A-1", Count: 3}},
		{"a negative number", `{"id":"A-1","count":-3}`, sample{ID: "A-1", Count: -3}},
		{"a number where text is meant", `{"id":"A-1","text":3}`, sample{ID: "A-1", Text: "3"}},
		{"true as text", `{"id":"A-1","sure":"true"}`, sample{ID: "A-1", Sure: true}},
		{"false as text", `{"id":"A-1","sure":"false"}`, sample{ID: "A-1"}},
		{"a lone text for a list", `{"id":"A-1","labels":"a,b"}`, sample{ID: "A-1", Labels: []string{"a,b"}}},
		{"a lone number for a list", `{"id":"A-1","only":2}`, sample{ID: "A-1", Only: []int{2}}},
		{"numbers as text in a list", `{"id":"A-1","only":["0",2]}`, sample{ID: "A-1", Only: []int{0, 2}}},
		{"a lone object for a list", `{"id":"A-1","parts":{"name":"p"}}`, sample{ID: "A-1", Parts: []part{{Name: "p"}}}},
		{"an empty text is given", `{"id":"A-1","title":""}`, sample{ID: "A-1", Title: ptr("")}},
		{"an empty list is given", `{"id":"A-1","tags":[]}`, sample{ID: "A-1", Tags: &[]string{}}},
		{"null is the empty text and the empty list", `{"id":"A-1","title":null,"tags":null,"text":null}`,
			sample{ID: "A-1", Title: ptr(""), Tags: &[]string{}}},
		{"a number behind a pointer", `{"id":"A-1","rank":0}`, sample{ID: "A-1", Rank: ptr(task.Priority(0))}},
		{"white space around it", "\n {\"id\" : \"A-1\"}\t\n", sample{ID: "A-1"}},
		{"escapes in text", `{"id":"A-1","text":"a\nb é\u00e9 <&>"}`, sample{ID: "A-1", Text: "a\nb éé <&>"}},
		{"a field that is not shown", `{"id":"A-1","parts":[{"name":"p","secret":"s"}]}`, sample{ID: "A-1", Parts: []part{{Name: "p", Secret: "s"}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := decodeSample(tt.input)
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%s\nreads as %+v, %v\nwant %+v", tt.input, got, err, tt.want)
			}
		})
	}
}

// What is refused: whatever could be a mistake. The message says where, and the hint what may have been meant.
func TestDecodeRefuses(t *testing.T) {
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	for _, tt := range []struct {
		name, input, says, hint string
	}{
		{"an unknown key", `{"id":"A-1","cuont":3}`, `unknown argument "cuont"`, `did you mean "count"?`},
		{"an unknown key like none", `{"id":"A-1","zzzzzz":3}`, `unknown argument "zzzzzz"`, "the arguments are id, text, count"},
		{"all unknown keys", `{"id":"A-1","zz":1,"aa":2}`, `unknown arguments "aa" and "zz"`, ""},
		{"unknown and missing keys", `{"ids":"A-1","cuont":2}`, `unknown arguments "cuont" and "ids"; id is missing`, `did you mean "count" and "id"?`},
		{"a key in another case", `{"ID":"A-1"}`, `unknown argument "ID"`, `did you mean "id"?`},
		{"an unknown key of a part", `{"id":"A-1","parts":[{"name":"p"},{"nam":"q"}]}`, `unknown argument "parts[1].nam"`,
			`did you mean "parts[1].name"?`},
		{"a hidden field is not suggested", `{"id":"A-1","parts":[{"name":"p","secrets":"q"}]}`, `unknown argument "parts[0].secrets"`,
			"the keys of parts[0] are name, size"},
		{"a key that comes twice", `{"id":"A-1","id":"A-2"}`, `the key "id" comes twice`, ""},
		{"a key of a part that comes twice", `{"id":"A-1","parts":[{"name":"p","name":"q"}]}`, `the key "name" comes twice`, ""},
		{"a key that comes twice in another spelling", `{"id":"A-1","i\u0064":"A-2"}`, `the key "id" comes twice`, ""},
		{"a required key that is missing", `{}`, "id is missing", "id: task to look at"},
		{"every key of a part that is missing", `{"id":"A-1","parts":[{}]}`, "parts[0].name is missing", "name: what it is called"},
		{"a required key that is null", `{"id":null}`, "id is missing", ""},
		{"a required key of a part", `{"id":"A-1","parts":[{"name":"p"},{"size":1}]}`, "parts[1].name is missing", "name: what it is called"},
		{"nothing at all", ``, "id is missing", ""},

		{"text for a number", `{"id":"A-1","count":"three"}`, `count must be a whole number, not "three"`, ""},
		{"a fraction", `{"id":"A-1","count":1.5}`, "count must be a whole number, not 1.5", ""},
		{"a number that is too large", `{"id":"A-1","count":99999999999999999999}`, "count must be a whole number", ""},
		{"true for a number", `{"id":"A-1","count":true}`, "count must be a whole number, not true", ""},
		{"a number for true", `{"id":"A-1","sure":1}`, "sure must be true or false, not 1", ""},
		{"yes for true", `{"id":"A-1","sure":"yes"}`, `sure must be true or false, not "yes"`, ""},
		{"true for text", `{"id":"A-1","text":true}`, "text must be text, not true", ""},
		{"an object for text", `{"id":"A-1","text":{}}`, "text must be text, not an object", ""},
		{"a list for text", `{"id":["A-1"]}`, "id must be text, not a list", ""},
		{"null for a number", `{"id":"A-1","count":null}`, "count is null", "leave it out"},
		{"null for true", `{"id":"A-1","sure":null}`, "sure is null", "leave it out"},
		{"none of what is counted", `{"id":"A-1","limit":0}`, "limit is 0", "1 or more"},
		{"none of what is counted, as text", `{"id":"A-1","limit":"0"}`, "limit is 0", "1 or more"},
		{"fewer than none", `{"id":"A-1","limit":-1}`, "limit is -1", "1 or more"},
		{"null in a list", `{"id":"A-1","labels":["a",null]}`, "labels[1] must be text, not null", ""},
		{"a list in a list", `{"id":"A-1","labels":[["a"]]}`, "labels[0] must be text, not a list", ""},
		{"text in a list of numbers", `{"id":"A-1","only":[0,"x"]}`, `only[1] must be a whole number, not "x"`, ""},
		{"text for a part", `{"id":"A-1","parts":["p"]}`, `parts[0] must be an object, not "p"`, ""},
		{"a wrong type inside a part", `{"id":"A-1","parts":[{"name":"p","size":"big"}]}`, `parts[0].size must be a whole number, not "big"`, ""},
		{"a long text is not repeated", `{"id":"A-1","count":"` + strings.Repeat("x", 1000) + `"}`, "count must be a whole number, not a long text", ""},

		{"a list at the root", `["A-1"]`, "object", ""},
		{"text at the root", `"A-1"`, "object", ""},
		{"something behind the object", `{"id":"A-1"} {"id":"A-2"}`, "behind the JSON object", ""},
		{"half an object", `{"id":"A-1"`, "not one JSON object", ""},
		{"no JSON", `id=A-1`, "not one JSON object", ""},
		{"too many levels", `{"id":"A-1","labels":` + deep + `}`, "nested too deeply", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := decodeSample(tt.input)
			if record.CodeOf(err) != record.InvalidInput {
				t.Fatalf("%s\ngives %v", tt.input, err)
			}
			if !strings.Contains(err.Error(), tt.says) {
				t.Errorf("says %q, not %q", err, tt.says)
			}
			if hint := hintOf(err); !strings.Contains(hint, tt.hint) {
				t.Errorf("hints %q, not %q", hint, tt.hint)
			}
			if len(err.Error()) > 300 {
				t.Errorf("the message has %d bytes", len(err.Error()))
			}
		})
	}
}

func hintOf(err error) string {
	var e *record.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Hint.String()
}

// FuzzDecode holds that no input makes the decoder panic, and that whatever is refused is refused with a code.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{``, `{}`, `{"id":"A-1","parts":[{"name":"p"}]}`, `{"id":1,"only":[1,2],"sure":"true"}`, `[[[`, `{"a":{"a":{}}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		if _, err := decodeSample(input); err != nil && record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%q gives %v", input, err)
		}
	})
}
