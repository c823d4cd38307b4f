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
	id        cdp.FrameID
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
		all = append(all, frame{id: n.Frame.ID, url: n.Frame.URL + n.Frame.URLFragment, name: n.Frame.Name, session: session, owner: owner})
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

// offset is where in the page the content of a frame begins, in CSS pixels.
func (t *tab) offset(ctx context.Context, f frame) (x, y float64, err error) {
	for f.owner != nil {
		owner, err := cdp.Call(ctx, f.owner, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: f.id})
		if err != nil {
			return 0, 0, err
		}
		box, err := cdp.Call(ctx, f.owner, dom.GetBoxModel, dom.GetBoxModelParams{BackendNodeID: owner.BackendNodeID})
		if err != nil {
			return 0, 0, err
		}
		x, y = x+box.Model.Content[0], y+box.Model.Content[1]
		if f.owner == t.target {
			break // boxes are told in the coordinates of the session's outermost document
		}
		if f, err = t.rootOf(ctx, f.owner); err != nil {
			return 0, 0, err
		}
	}
	return x, y, nil
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
