package warc

// OpenHooked is OpenWriter with hooks on what it does to files.
var OpenHooked = openWriter
