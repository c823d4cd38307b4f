package action

// Fill writes into a field in place of what is there. A checkbox or radio button
// is checked by true and unchecked by false. A field that takes nothing is a failure,
// and so is one for files; one that makes something else of the value is reported.
type Fill struct {
	Selector `yaml:",inline"`
	Value    Value `yaml:"value"` // what to write; empty: nothing stands there any more
	Keys     bool  `yaml:"keys"`  // key by key, for pages that listen for keys
}

// Select chooses options of a select element, by their value or else by what
// they say.
type Select struct {
	Selector `yaml:",inline"`
	Values   []string `yaml:"values,required"` // one, or several where the element takes them
}

// Press presses a key: a name of KeyboardEvent.key such as Enter, Tab, Escape,
// ArrowDown or PageDown, or a character, with Control+, Shift+, Alt+ or Meta+
// before it.
type Press struct {
	Key   string    `yaml:"key,short,required"` // as Enter or Control+a
	On    *Selector `yaml:"on"`                 // is focused first
	Times int       `yaml:"times"`              // 1
}

// Submit submits a form as its button does, and waits for the page as click
// does.
type Submit struct {
	Selector `yaml:",inline"` // the form or an element of it; without: that of the element in focus, else the first of the page
}

// Login logs in once and keeps the session. When the session of that name is
// known ([Sessions]), its cookies are set instead, and the form is only filled in
// if they are not good any more.
type Login struct {
	URL      string    `yaml:"url,required"`   // of the page with the form, absolute or relative to the page
	User     Value     `yaml:"user"`           // required, as the password, unless there is do
	Password Value     `yaml:"password"`       // best by env
	UserIn   *Selector `yaml:"user-field"`     // default: the field before the password
	PassIn   *Selector `yaml:"password-field"` // default: the first password field
	Button   *Selector `yaml:"button"`         // default: the form is submitted
	Do       Steps     `yaml:"do"`             // instead of filling in the form
	Done     *Selector `yaml:"done"`           // can be seen by whoever is logged in; default: no password field can be seen
	Session  string    `yaml:"session"`        // its name; the origin of URL
}
