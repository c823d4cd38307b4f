package sink

// Openers with hooks on what they do to files.
var (
	OpenJSONLHooked = openJSONL
	OpenLinksHooked = openLinks
)
