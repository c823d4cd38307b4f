package chrome

import (
	"os/exec"
	"slices"
)

// names are what a browser may be called, in the order of preference. The shell
// without a window takes half the time and half the memory of the whole browser.
// Debian's command is a script that the shell runs under, so that a signal to it
// would not reach the browser: its program comes first.
var names = [...]string{
	"/usr/lib/chromium/chromium-headless-shell", "chromium-headless-shell", "headless-shell", "headless_shell", "chrome-headless-shell",
	"/headless-shell/headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium",
	`C:\Program Files\Google\Chrome\Application\chrome.exe`, `C:\Program Files (x86)\Google\Chrome\Application\chrome.exe`,
}

// Find returns the path of a browser of this machine: headless_shell under its
// various names, chromium, chrome. The error is a *[NotFoundError].
func Find() (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", &NotFoundError{Tried: slices.Clone(names[:])}
}
