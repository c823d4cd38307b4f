package action

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/webquarry/quarry/crawler/extract"
)

func (Snapshot) kind() string   { return "snapshot" }
func (Extract) kind() string    { return "extract" }
func (Eval) kind() string       { return "eval" }
func (Screenshot) kind() string { return "screenshot" }
func (PDF) kind() string        { return "pdf" }

const (
	maxHTML   = 32 << 20 // of a page, in UTF-16 units
	maxPixels = 16_384   // of the height of a picture
)

// document reads the HTML of a frame.
func (r *run) document(ctx context.Context, f frame) (p Page, err error) {
	var doc struct {
		HTML, URL string
		Cut       bool
	}
	err = r.call(ctx, f, &doc, "html", maxHTML)
	p = Page{URL: doc.URL, HTML: doc.HTML, Cut: doc.Cut, Frame: f.owner != nil}
	if !p.Frame {
		p.Status, p.Header = r.watch.document()
	}
	return p, err
}

func (a Snapshot) do(ctx context.Context, r *run) (outcome, error) {
	rule := ""
	if a.Frames {
		rule = "*"
	}
	frames, err := r.frames(ctx, rule)
	if err != nil {
		return outcome{}, err
	}
	size, n := 0, 0
	for _, f := range frames {
		p, err := r.document(ctx, f)
		if err != nil && f.owner != nil && ctx.Err() == nil {
			continue // the frame has gone
		}
		if err == nil {
			err = r.room(len(p.HTML))
		}
		if err != nil {
			return outcome{}, err
		}
		if p.Frame && !web(p.URL) && p.HTML == "<html><head></head><body></body></html>" {
			continue // about:blank
		}
		p.Label = a.Label
		size, n = size+len(p.HTML), n+1
		r.result.Pages = append(r.result.Pages, p)
	}
	return outcome{Done, fmt.Sprintf("%s, %d KB", plural(n, "page"), (size+512)/1024)}, nil
}

func (a Extract) do(ctx context.Context, r *run) (outcome, error) {
	schema := a.Schema
	if schema == nil {
		schema = r.Schema
	}
	if schema == nil {
		return outcome{}, errors.New("there is no schema, neither in the step nor for the whole chain")
	}
	x, err := extract.Compile(schema)
	if err != nil {
		return outcome{}, err
	}
	frames, err := r.frames(ctx, a.Frame)
	if err != nil {
		return outcome{}, err
	}
	all, added := 0, 0
	var flaws error
	for _, f := range frames {
		p, err := r.document(ctx, f)
		if err != nil {
			return outcome{}, err
		}
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(p.HTML))
		if err != nil {
			return outcome{}, err
		}
		records, bad := x.Records(doc, p.URL)
		flaws = errors.Join(flaws, bad)
		all += len(records)
		n, err := r.add(records, a.Key, a.Repeats)
		if added += n; err != nil {
			return outcome{}, err
		}
	}
	note := fmt.Sprintf("%s, %d new", plural(all, "record"), added)
	if all == 0 {
		note += ": nothing on the page matches the schema"
	}
	if flaws != nil {
		note += "; " + strings.SplitN(flaws.Error(), "\n", 2)[0]
	}
	return outcome{Done, note}, nil
}

// add adds records that this step, in whatever round of its loops, has not added
// before.
func (r *run) add(records []extract.Record, key []string, repeats bool) (added int, err error) {
	step := withoutRounds(r.at)
	if r.seen[step] == nil {
		r.seen[step] = map[string]bool{}
	}
	for _, rec := range records {
		what := any(rec)
		if len(key) > 0 {
			what = make([]any, 0, len(key))
			for _, k := range key {
				what = append(what.([]any), rec[k])
			}
		}
		if id, err := json.Marshal(what); err == nil && !repeats {
			if r.seen[step][string(id)] {
				continue
			}
			r.seen[step][string(id)] = true
		}
		if len(r.result.Records) >= maxRecords {
			return added, fmt.Errorf("more than %d records", maxRecords)
		}
		r.result.Records = append(r.result.Records, rec)
		added++
	}
	return added, nil
}

// withoutRounds is the place of a step in the chain: "5[7].2" is "5.2".
func withoutRounds(at string) string {
	var b strings.Builder
	for at != "" {
		before, after, ok := strings.Cut(at, "[")
		b.WriteString(before)
		if !ok {
			break
		}
		_, at, _ = strings.Cut(after, "]")
	}
	return b.String()
}

func (a Eval) do(ctx context.Context, r *run) (outcome, error) {
	frames, err := r.frames(ctx, a.Frame)
	if err != nil {
		return outcome{}, err
	}
	var raw json.RawMessage
	err = r.inPage(ctx, frames[0], &raw, "(async () => (\n"+a.JS+"\n))()")
	if syntax, ok := errors.AsType[*scriptError](err); ok && strings.HasPrefix(syntax.text, "SyntaxError") {
		err = r.inPage(ctx, frames[0], &raw, "(async () => {\n"+a.JS+"\n})()")
	}
	if err != nil {
		return outcome{}, err
	}
	var v any
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &v); err != nil {
			return outcome{}, err
		}
	}
	if a.As != "" {
		if r.result.Values == nil {
			r.result.Values = map[string]any{}
		}
		r.result.Values[a.As] = v
	}
	short := string(raw)
	if len(short) > 60 {
		short = strings.ToValidUTF8(short[:57], "") + "..."
	}
	if a.Records {
		n, err := r.add(recordsOf(v), nil, true)
		return outcome{Done, plural(n, "record")}, err
	}
	return outcome{Done, short}, nil
}

// recordsOf makes records of a value of JavaScript.
func recordsOf(v any) (out []extract.Record) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, e := range list {
		if m, ok := e.(map[string]any); ok {
			out = append(out, m)
		} else if e != nil {
			out = append(out, extract.Record{"value": e})
		}
	}
	return out
}

// inPage evaluates an expression among the scripts of the page, where it sees
// what they see.
func (r *run) inPage(ctx context.Context, f frame, out any, js string) error {
	if f.owner == nil || f.owner != f.session {
		return evaluate(ctx, f.session, out, runtime.EvaluateParams{Expression: js})
	}
	owner, err := cdp.Call(ctx, f.owner, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: f.id})
	if err != nil {
		return err
	}
	n, err := cdp.Call(ctx, f.owner, dom.DescribeNode, dom.DescribeNodeParams{BackendNodeID: owner.BackendNodeID, Pierce: new(true)})
	if err != nil || n.Node.ContentDocument == nil {
		return cmp.Or(err, errors.New("the frame has gone"))
	}
	obj, err := cdp.Call(ctx, f.owner, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: n.Node.ContentDocument.BackendNodeID})
	if err != nil {
		return err
	}
	res, err := cdp.Call(ctx, f.owner, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		ObjectID: obj.Object.ObjectID, FunctionDeclaration: "function() { return " + js + " }",
		ReturnByValue: new(true), AwaitPromise: new(true),
	})
	if err != nil {
		return err
	}
	return result(res.Result, res.ExceptionDetails, out)
}

func (a Screenshot) check() error {
	if a.Full && a.Element != nil {
		return errors.New("full and element exclude each other")
	}
	if a.Quality > 100 {
		return errors.New("quality is 1 to 100")
	}
	if a.File == "" {
		return nil
	}
	return fileName(a.File, ".png", ".jpg", ".jpeg", ".webp")
}

func (a PDF) check() error {
	if a.Scale != 0 && (a.Scale < 0.1 || a.Scale > 2) {
		return errors.New("scale is 0.1 to 2")
	}
	if a.File == "" {
		return nil
	}
	return fileName(a.File, ".pdf")
}

// fileName refuses names that lead out of a folder.
func fileName(s string, endings ...string) error {
	if strings.ContainsAny(s, `/\:`) || strings.HasPrefix(s, ".") {
		return fmt.Errorf("file %q is no plain name", s)
	}
	if !slices.Contains(endings, path.Ext(s)) {
		return fmt.Errorf("file %q does not end in %s", s, strings.Join(endings, ", "))
	}
	return nil
}

func (a Screenshot) do(ctx context.Context, r *run) (outcome, error) {
	name := cmp.Or(a.File, fmt.Sprintf("shot-%d.png", len(r.result.Files)+1))
	format := strings.Replace(path.Ext(name)[1:], "jpg", "jpeg", 1)
	body, err := r.capture(ctx, a, format)
	if err == nil {
		err = r.room(len(body))
	}
	if err != nil {
		return outcome{}, err
	}
	name = r.keep(File{Name: name, Type: "image/" + format, Body: body})
	return outcome{Done, fmt.Sprintf("%s, %d KB", name, (len(body)+512)/1024)}, nil
}

// capture takes a picture.
func (r *run) capture(ctx context.Context, a Screenshot, format string) ([]byte, error) {
	p := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormat(format)}
	if format != "png" {
		p.Quality = new(int64(cmp.Or(a.Quality, 80)))
	}
	if a.Full || a.Element != nil {
		clip, err := r.clip(ctx, a)
		if err != nil {
			return nil, err
		}
		p.Clip, p.CaptureBeyondViewport = clip, new(true)
	}
	res, err := cdp.Call(ctx, r.target, page.CaptureScreenshot, p)
	return res.Data, err
}

// clip is what of the page a picture shows.
func (r *run) clip(ctx context.Context, a Screenshot) (*page.Viewport, error) {
	var box state
	var in frame
	if a.Element != nil {
		st, f, err := r.ready(ctx, *a.Element, "look")
		if err != nil {
			return nil, err
		}
		if in, box = f, st; r.call(ctx, f, &box, "rect", r.query(*a.Element)) != nil || box.Why != "" {
			return nil, missing(a.Element.String() + " cannot be seen")
		}
	}
	m, err := cdp.Call(ctx, r.target, page.GetLayoutMetrics, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	if a.Full {
		size := m.CSSContentSize
		return &page.Viewport{Width: size.Width, Height: min(size.Height, maxPixels), Scale: 1}, nil
	}
	corners := []spot{{box.X, box.Y}, {box.X + box.Width, box.Y}, {box.X, box.Y + box.Height}, {box.X + box.Width, box.Y + box.Height}}
	for in.owner != nil {
		size, err := r.windowOf(ctx, in)
		if err == nil {
			in, corners, err = r.raise(ctx, in, size, corners...)
		}
		if err != nil {
			return nil, err
		}
	}
	from, to := corners[0], corners[0]
	for _, c := range corners {
		from, to = spot{min(from.x, c.x), min(from.y, c.y)}, spot{max(to.x, c.x), max(to.y, c.y)}
	}
	if m, err = cdp.Call(ctx, r.target, page.GetLayoutMetrics, cdp.Empty{}); err != nil { // it may have been scrolled
		return nil, err
	}
	v := m.CSSVisualViewport
	return &page.Viewport{X: from.x + v.PageX, Y: from.y + v.PageY, Width: to.x - from.x, Height: min(to.y-from.y, maxPixels), Scale: 1}, nil
}

func (a PDF) do(ctx context.Context, r *run) (outcome, error) {
	paper := map[string][2]float64{"a4": {8.27, 11.69}, "a3": {11.69, 16.54}, "a5": {5.83, 8.27}, "letter": {8.5, 11}, "legal": {8.5, 14}}[cmp.Or(a.Paper, "a4")]
	res, err := cdp.Call(ctx, r.target, page.PrintToPDF, page.PrintToPDFParams{
		PaperWidth: paper[0], PaperHeight: paper[1], Scale: a.Scale,
		Landscape: new(a.Landscape), PrintBackground: new(a.Background),
	})
	if err == nil {
		err = r.room(len(res.Data))
	}
	if err != nil {
		return outcome{}, err
	}
	name := r.keep(File{Name: cmp.Or(a.File, fmt.Sprintf("page-%d.pdf", len(r.result.Files)+1)), Type: "application/pdf", Body: res.Data})
	return outcome{Done, fmt.Sprintf("%s, %d KB", name, (len(res.Data)+512)/1024)}, nil
}
