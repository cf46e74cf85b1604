// Package where is the language of filters: short texts that say which items of a list are meant.
//
//	status=open and (label=payments or priority<=1) and due<7d and not assignee=me and title~discount
//
// The grammar:
//
//	filter = all { "or" all }
//	all    = one { "and" one }
//	one    = "not" one | "(" filter ")" | test
//	test   = KEY [ operator value { "," value } ]
//	operator = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~"
//	value  = WORD | "'" text "'" | '"' text '"'
//
// Words are any characters but spaces, brackets, commas, quotes and those of operators; and, or and not are words of
// the language in any case. A key alone asks whether the item has it. Several values are alternatives: a=x,y is one of
// both, a!=x,y neither. Within quotes a backslash takes the next character as it is.
//
// What keys there are, of which type, and how they are read off an item is the caller's: a Table. A filter is a value
// that never changes; it reads no file, and an item that lacks a key fits no test of it but a negated one. Texts longer
// than MaxText, more than MaxTests tests and more than MaxDepth levels of brackets are refused, so that neither reading
// nor applying one takes long.
//
//	doc.go     the language
//	lex.go     text to words
//	parse.go   words to tests
//	keys.go    keys and their types, and one test against one item
package where
