package brief

import "encoding/json"

// fitted returns the brief with so much of each list that it has room. The longest list gives up its last items first.
func (o Out) fitted() Out {
	for size(o) > room {
		lists := []func() (bytes int, drop func()){
			last(&o.Activity), last(&o.Knowledge), last(&o.Top), last(&o.Decisions), last(&o.Handoffs), last(&o.Repositories),
		}
		longest, give := 0, func() {}
		for _, list := range lists {
			if bytes, drop := list(); bytes > longest {
				longest, give = bytes, drop
			}
		}
		if longest == 0 {
			return o // only what is always there is left: the states of the config
		}
		give()
	}
	return o
}

// last returns how much room a list takes, and a function that takes its last item away.
func last[T any](list *[]T) func() (int, func()) {
	return func() (int, func()) {
		if len(*list) == 0 {
			return 0, nil
		}
		return size(*list), func() { *list = (*list)[:len(*list)-1] }
	}
}

func size(v any) int {
	text, _ := json.Marshal(v) // it is part of a result
	return len(text)
}
