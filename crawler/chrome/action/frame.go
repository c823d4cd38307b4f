package action

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// frame is a document of the page.
type frame struct {
	id, in    cdp.FrameID // in: that it stands in; empty: not in this session
	url, name string
	session   *chromedp.Target
	owner     *chromedp.Target // session of the document it stands in; nil: the page itself
}

func (t *tab) mainFrame() frame { return frame{id: t.watch.main, session: t.target} }

// frames are the frames that a rule means.
func (t *tab) frames(ctx context.Context, rule string) ([]frame, error) {
	if rule == "" {
		return []frame{t.mainFrame()}, nil
	}
	all, err := t.allFrames(ctx)
	if err != nil || rule == "*" {
		return all, err
	}
	all = slices.DeleteFunc(all, func(f frame) bool {
		if f.owner == nil {
			return true
		}
		return f.name != rule && !globs(rule, f.url) && ownerID(ctx, f) != rule
	})
	if len(all) == 0 {
		return nil, &pending{missing(fmt.Sprintf("there is no frame %q", rule))}
	}
	return all, nil
}

// allFrames are the page and all frames in it, those in processes of their own
// last.
func (t *tab) allFrames(ctx context.Context) ([]frame, error) {
	all, err := t.treeOf(ctx, t.target, nil)
	if err != nil {
		return nil, err
	}
	c := chromedp.FromContext(t.base)
	targets, err := chromedp.Targets(t.base)
	if err != nil || c == nil {
		return all, err
	}
	for range targets { // a frame may stand in one that comes later
		grown := false
		for _, info := range targets {
			id := cdp.FrameID(info.TargetID)
			known := slices.ContainsFunc(all, func(f frame) bool { return f.id == id })
			in := slices.IndexFunc(all, func(f frame) bool { return f.id == info.ParentFrameID })
			if info.Type != "iframe" || known || in < 0 {
				continue
			}
			session, err := t.attach(ctx, id)
			if err != nil {
				continue // it has gone
			}
			below, err := t.treeOf(ctx, session, all[in].session)
			if err == nil {
				all, grown = append(all, below...), true
			}
		}
		if !grown {
			break
		}
	}
	return all, nil
}

// treeOf are the frames that a session sees.
func (t *tab) treeOf(ctx context.Context, session, owner *chromedp.Target) ([]frame, error) {
	res, err := cdp.Call(ctx, session, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	var all []frame
	var walk func(n *page.FrameTree, owner *chromedp.Target)
	walk = func(n *page.FrameTree, owner *chromedp.Target) {
		all = append(all, frame{id: n.Frame.ID, in: cdp.FrameID(n.Frame.ParentID), url: n.Frame.URL + n.Frame.URLFragment, name: n.Frame.Name, session: session, owner: owner})
		for _, below := range n.ChildFrames {
			walk(below, session)
		}
	}
	walk(res.FrameTree, owner)
	return all, nil
}

// attach opens a session of a frame in a process of its own.
func (t *tab) attach(ctx context.Context, id cdp.FrameID) (*chromedp.Target, error) {
	if s := t.inner[id]; s != nil {
		return s, nil
	}
	s, err := t.session(id)
	if err == nil {
		t.inner[id] = s
	}
	return s, err
}

// session opens another session of a target, which ends with the chain.
func (t *tab) session(id cdp.FrameID) (*chromedp.Target, error) {
	ctx, stop := chromedp.NewContext(t.base, chromedp.WithTargetID(targetID(id)), chromedp.WithDetachOnCancel())
	t.ended = append(t.ended, stop)
	if err := chromedp.Do(ctx); err != nil {
		return nil, err
	}
	return chromedp.FromContext(ctx).Target, nil
}

// ownerID is the id of the element that a frame stands in.
func ownerID(ctx context.Context, f frame) string {
	owner, err := cdp.Call(ctx, f.owner, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: f.id})
	if err != nil {
		return ""
	}
	n, err := cdp.Call(ctx, f.owner, dom.DescribeNode, dom.DescribeNodeParams{BackendNodeID: owner.BackendNodeID})
	if err != nil {
		return ""
	}
	for i := 0; i+1 < len(n.Node.Attributes); i += 2 {
		if n.Node.Attributes[i] == "id" {
			return n.Node.Attributes[i+1]
		}
	}
	return ""
}

// spot is a point of a window, in CSS pixels.
type spot struct{ x, y float64 }

// raise puts points of a frame's window into the window of the document that the
// session of its owner is of, through whatever moves, scales or turns the frame,
// and brings the first of them into view there. size is that of the frame's
// window.
func (t *tab) raise(ctx context.Context, f frame, size spot, at ...spot) (up frame, out []spot, err error) {
	owner, err := cdp.Call(ctx, f.owner, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: f.id})
	if err != nil {
		return up, nil, err
	}
	node := dom.GetBoxModelParams{BackendNodeID: owner.BackendNodeID}
	box, err := cdp.Call(ctx, f.owner, dom.GetBoxModel, node)
	if err != nil {
		return up, nil, err
	}
	// The rectangle counts from the upper left corner of what the frame covers in
	// its window, turned or not.
	to, edge := lift(box.Model.Content, size, at[0]), box.Model.Border
	to.x -= min(edge[0], edge[2], edge[4], edge[6])
	to.y -= min(edge[1], edge[3], edge[5], edge[7])
	if _, err := cdp.Call(ctx, f.owner, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{
		BackendNodeID: owner.BackendNodeID, Rect: &dom.Rect{X: to.x, Y: to.y, Width: 1, Height: 1},
	}); err != nil {
		return up, nil, err
	}
	if box, err = cdp.Call(ctx, f.owner, dom.GetBoxModel, node); err != nil {
		return up, nil, err
	}
	for _, p := range at {
		out = append(out, lift(box.Model.Content, size, p))
	}
	if f.owner == t.target {
		return t.mainFrame(), out, nil
	}
	up, err = t.rootOf(ctx, f.owner)
	return up, out, err
}

// center scrolls a frame and those around it, the outermost first, to some place of
// what they stand in: a block as of scrollIntoView. To bring something within into
// view is no reason for a browser to scroll what is around a box that is fixed.
func (t *tab) center(ctx context.Context, f frame, block string) error {
	all, err := t.allFrames(ctx)
	if err != nil {
		return err
	}
	var up []frame
	for f.owner != nil {
		up = append(up, f)
		i := slices.IndexFunc(all, func(o frame) bool { return o.id == f.in })
		if i < 0 {
			break
		}
		f = all[i]
	}
	for _, f := range slices.Backward(up) {
		owner, err := cdp.Call(ctx, f.owner, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: f.id})
		if err != nil {
			return err
		}
		obj, err := cdp.Call(ctx, f.owner, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: owner.BackendNodeID, ObjectGroup: "quarry"})
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, f.owner, runtime.CallFunctionOn, runtime.CallFunctionOnParams{ObjectID: obj.Object.ObjectID,
			FunctionDeclaration: `function() { this.scrollIntoView({block: "` + block + `", inline: "` + block + `", behavior: "instant"}) }`})
		if err != nil {
			return err
		}
	}
	return nil
}

// lift puts a point of a window of a size into another, in which its corners are
// those of q, clockwise from the upper left one on.
func lift(q dom.Quad, size, p spot) spot {
	right, down := p.x/max(size.x, 1), p.y/max(size.y, 1)
	return spot{q[0] + right*(q[2]-q[0]) + down*(q[6]-q[0]), q[1] + right*(q[3]-q[1]) + down*(q[7]-q[1])}
}

// over is what is shown at a point of the window of a session, in place of
// a frame of it; empty: nothing is.
func (t *tab) over(ctx context.Context, f frame, at spot) (what string, err error) {
	m, err := cdp.Call(ctx, f.owner, page.GetLayoutMetrics, cdp.Empty{})
	if err != nil {
		return "", err
	}
	v := m.CSSLayoutViewport
	hit, err := cdp.Call(ctx, f.owner, dom.GetNodeForLocation, dom.GetNodeForLocationParams{X: int64(at.x) + v.PageX, Y: int64(at.y) + v.PageY})
	if _, ok := errors.AsType[*cdproto.Error](err); ok {
		return "the edge of the window", nil
	}
	if err != nil || f.session == f.owner && hit.FrameID == f.id {
		return "", err
	}
	owner, err := cdp.Call(ctx, f.owner, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: f.id})
	if err != nil || f.session != f.owner && owner.BackendNodeID == hit.BackendNodeID {
		return "", err
	}
	n, err := cdp.Call(ctx, f.owner, dom.DescribeNode, dom.DescribeNodeParams{BackendNodeID: hit.BackendNodeID})
	if err != nil {
		return "", err
	}
	return "<" + n.Node.LocalName + ">", nil
}

// windowOf is the size of the window of a frame.
func (t *tab) windowOf(ctx context.Context, f frame) (size spot, err error) {
	var at struct{ Width, Height float64 }
	err = t.call(ctx, f, &at, "page")
	return spot{at.Width, at.Height}, err
}

// rootOf is the frame that a session is of.
func (t *tab) rootOf(ctx context.Context, session *chromedp.Target) (frame, error) {
	all, err := t.allFrames(ctx)
	if err != nil {
		return frame{}, err
	}
	for _, f := range all {
		if f.session == session {
			return f, nil
		}
	}
	return frame{}, errors.New("the frame has gone")
}

// call calls a function of the kit in a frame. While the frame goes elsewhere it
// is tried again.
func (t *tab) call(ctx context.Context, f frame, out any, name string, args ...any) error {
	list, err := json.Marshal(append([]any{}, args...))
	if err != nil {
		return err
	}
	expression := fmt.Sprintf("quarry.%s(...%s)", name, list)
	for wait := time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		world, err := t.world(ctx, f)
		if err == nil {
			err = evaluate(ctx, f.session, out, runtime.EvaluateParams{Expression: expression, ContextID: world})
		}
		if !lost(err) || ctx.Err() != nil {
			return err
		}
		delete(t.worlds, f.id)
		if f.owner != nil && wait > 100 {
			return err // a frame may go for good
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// world is where the kit lives in a frame: apart from the scripts of the page,
// with which it shares the document only.
func (t *tab) world(ctx context.Context, f frame) (runtime.ExecutionContextID, error) {
	if id, ok := t.worlds[f.id]; ok {
		return id, nil
	}
	res, err := cdp.Call(ctx, f.session, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: f.id, WorldName: "quarry"})
	if err != nil {
		return 0, err
	}
	if err := evaluate(ctx, f.session, nil, runtime.EvaluateParams{Expression: kit, ContextID: res.ExecutionContextID}); err != nil {
		return 0, err
	}
	t.worlds[f.id] = res.ExecutionContextID
	return res.ExecutionContextID, nil
}

// scriptError is what a script of the page or the kit has thrown.
type scriptError struct{ text string }

func (e *scriptError) Error() string { return e.text }

// evaluate evaluates an expression and reads its value into out, if that is not
// nil.
func evaluate(ctx context.Context, session *chromedp.Target, out any, p runtime.EvaluateParams) error {
	p.ReturnByValue, p.AwaitPromise = new(true), new(true)
	res, err := cdp.Call(ctx, session, runtime.Evaluate, p)
	if err != nil {
		return err
	}
	return result(res.Result, res.ExceptionDetails, out)
}

// result reads what a script has returned or thrown.
func result(value *runtime.RemoteObject, x *runtime.ExceptionDetails, out any) error {
	if x != nil {
		text := x.Text
		if x.Exception != nil && x.Exception.Description != "" {
			text, _, _ = strings.Cut(x.Exception.Description, "\n")
		} else if x.Exception != nil && x.Exception.Value != nil {
			text += " " + string(x.Exception.Value)
		}
		return &scriptError{text}
	}
	if out == nil || value == nil || value.Value == nil {
		return nil
	}
	return json.Unmarshal(value.Value, out)
}

// lost reports whether the document has gone in which something was to be
// evaluated.
func lost(err error) bool {
	e, ok := errors.AsType[*cdproto.Error](err)
	if !ok {
		return false
	}
	for _, s := range []string{"context", "navigated", "No frame", "Not attached", "not attached"} {
		if strings.Contains(e.Message, s) {
			return true
		}
	}
	return false
}
