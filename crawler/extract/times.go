package extract

import (
	"fmt"
	"time"

	"github.com/webquarry/quarry/crawler/internal/when"
)

// ParseTime reads a time of a page: ISO 8601, as HTTP and e-mail write them,
// seconds or milliseconds since 1970, and dates in words and numbers in English
// and some twenty other languages, also within the first 200 bytes of a text:
// "Published on March 3rd, 2024 at 4:05 pm", "8:25 a.m. EST, Dec. 12, 2014". The
// time has the zone that the text names by its offset or by a name that is in
// common use, as EDT and CEST; without one, or with another, it counts as UTC.
// What days and months would differ between countries, as 06/05/2024, is refused,
// as are years before 1970 and after 2100.
func ParseTime(s string) (time.Time, error) {
	t, ok := when.Find(s)
	if !ok {
		return time.Time{}, fmt.Errorf("%q is no time, or could mean several", clip(s, 40))
	}
	return t, nil
}
