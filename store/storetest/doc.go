// Package storetest is what any store of tasks must satisfy, as tests: what creating, reading, changing and listing
// promise, whatever kind of workspace the store works on and however it reads its files.
package storetest
