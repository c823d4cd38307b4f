package arch

// An exception lets one place off a rule.
type exception struct {
	max int    // the number that holds here instead, where the rule is one
	why string // why clarity wins over the rule
}

// exceptions go by "rule subject", as a message begins. An entry that is no
// longer needed fails the test.
var exceptions = map[string]exception{}

// excused reports whether p has an exception that covers it.
func excused(p problem) bool {
	e, ok := exceptions[p.key()]
	return ok && p.size <= e.max
}
