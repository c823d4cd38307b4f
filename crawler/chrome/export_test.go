package chrome

// Pid is the process id of the present browser, which is that of its group.
func Pid(f *Fetcher) int {
	f.state.pool.mu.Lock()
	defer f.state.pool.mu.Unlock()
	if f.state.pool.browser == nil {
		return 0
	}
	return f.state.pool.browser.pid
}

// ProfilePrefix begins the names of the folders of browsers.
const ProfilePrefix = profilePrefix

// Sweep removes what dead programs left.
func Sweep(temp string) { sweep(temp) }

// Memory is what the processes of the present browser hold.
func Memory(f *Fetcher) int64 { return memoryOf(Pid(f)) }
