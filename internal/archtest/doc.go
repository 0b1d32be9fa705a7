// Package archtest holds the tests of the house: which package may import
// which, what the core weighs, how large files and functions may be, that
// exported names are documented, and that the documents say what is there.
// It has no code of its own. The rules are data in table_test.go; each rule
// has a test beside it that shows it can fail.
package archtest
