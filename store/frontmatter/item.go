package frontmatter

// Item is one item of the sequence that SetSeq makes: an old one or a new one.
type Item struct {
	old   int // -1 if new
	value Value
	key   *string // of a new pair of a mapping
}

// Old is item i of the sequence as it is, with all its bytes.
func Old(i int) Item { return Item{old: i} }

// NewItem is an item to be written.
func NewItem(v Value) Item { return Item{old: -1, value: v} }

// newPair is a pair of a mapping to be written.
func newPair(f Field) Item { return Item{old: -1, key: &f.Key, value: f.Value} }

// lines returns the lines of a new item where each has its own.
func (it Item) lines() []string {
	if it.key != nil {
		return fieldLines(Field{*it.key, it.value})
	}
	return itemLines(it.value)
}

// inFlow returns a new item as it stands between brackets.
func (it Item) inFlow() string {
	if it.key != nil {
		return encoder{flow: true}.field(Field{*it.key, it.value})
	}
	return encoder{flow: true}.line(it.value)
}
