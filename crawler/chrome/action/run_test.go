package action

import (
	"strings"
	"testing"
)

// TestLoadMore: a button is pressed until it is gone.
func TestLoadMore(t *testing.T) {
	t.Parallel()
	at := serve(t, "/", `<ul id=list></ul><button id=more>More</button><script>
		let n = 0
		document.getElementById('more').onclick = e => setTimeout(() => {
			for (let i = 0; i < 5; i++) document.getElementById('list').insertAdjacentHTML('beforeend', '<li>item ' + n++)
			if (n >= 15) e.target.remove()
		}, 20)
	</script>`)
	res, err := play(t, &Runner{URL: at}, `
steps:
  - navigate: /
  - click-while: "#more"
  - extract: {schema: {each: li, fields: {name: {xpath: .}}}}
  - snapshot
`)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Records) != 15 || res.Records[14]["name"] != "item 14" {
		t.Errorf("records %v", res.Records)
	}
	if len(res.Pages) != 1 || res.Pages[0].Status != 200 || !strings.Contains(words(res.Pages[0]), "item 14") {
		t.Errorf("pages %+v", res.Pages)
	}
	if r := res.Reports[1]; r.Step != "2" || r.Action != "click-while" || r.End != Gone || !strings.HasPrefix(r.Note, "3 clicks, 14 elements more") {
		t.Errorf("report %+v", r)
	}
}
