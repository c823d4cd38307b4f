// What chains do within a page, in a world of its own in each frame.
(() => {
	if (globalThis.quarry) return;
	const unread = /^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE|HEAD)$/;
	const squeeze = s => (s || '').replace(/\s+/g, ' ').trim();
	const fold = s => squeeze(s).toLowerCase();

	// roots are a node and all open shadow roots below it.
	function roots(from) {
		const out = from.shadowRoot ? [from, from.shadowRoot] : [from];
		for (let i = 0; i < out.length; i++)
			for (const e of out[i].querySelectorAll('*'))
				if (e.shadowRoot && e !== out[0]) out.push(e.shadowRoot);
		return out;
	}

	const label = e => e.localName === 'input' && /^(button|submit|reset)$/.test(e.type) ? e.value :
		e.shadowRoot ? e.shadowRoot.textContent + ' ' + e.textContent : e.textContent;

	// says are the smallest elements at or below n that hold a text.
	function says(n, text, out) {
		let hit = false;
		for (const root of [n.shadowRoot, n])
			for (const k of root ? root.children : [])
				if (!unread.test(k.tagName) && says(k, text, out)) hit = true;
		if (!hit && n.nodeType === 1 && (fold(label(n)).includes(text) || fold(n.getAttribute('aria-label')).includes(text))) {
			out.push(n);
			hit = true;
		}
		return hit;
	}

	// all are the elements of a query.
	function all(q) {
		if (q.found) return quarry.found && quarry.found.isConnected ? [quarry.found] : [];
		let base = document;
		for (const s of q.scope || []) {
			base = list(s, base)[s.nth - 1];
			if (!base) return [];
		}
		return list(q, base);
	}

	function list(q, base) {
		let out = [base];
		if (q.css) {
			for (const part of q.css.split('>>>')) {
				const next = new Set();
				for (const from of out)
					for (const root of roots(from))
						for (const e of root.querySelectorAll(part.trim())) next.add(e);
				out = [...next];
			}
		} else if (q.xpath) {
			const found = document.evaluate(q.xpath, base, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
			out = [];
			for (let i = 0; i < found.snapshotLength; i++) {
				const n = found.snapshotItem(i);
				out.push(n.nodeType === 1 ? n : n.ownerElement || n.parentElement);
			}
		} else if (!q.text) {
			return base === document ? [] : [base];
		}
		if (q.text) {
			const text = fold(q.text);
			if (q.css) out = out.filter(e => fold(label(e)).includes(text));
			else says(base === document ? document.documentElement : base, text, out = []);
			out = [...out.filter(e => fold(label(e)) === text), ...out.filter(e => fold(label(e)) !== text)];
		}
		return out;
	}

	function visible(e) {
		if (!e.isConnected || !e.checkVisibility({visibilityProperty: true})) return false;
		for (const r of e.getClientRects()) if (r.width > 0 && r.height > 0) return true;
		return false;
	}

	const disabled = e => e.matches(':disabled') || e.getAttribute('aria-disabled') === 'true';

	// pick is the element of a query.
	function pick(q) {
		const out = all(q);
		if (q.nth) return out.at(q.nth > 0 ? q.nth - 1 : q.nth);
		return out.find(visible) || out[0];
	}

	// look is the element of a query, or why there is none.
	function look(q, use) {
		const e = pick(q);
		if (!e) return [null, {why: 'missing'}];
		if (!visible(e)) return [e, {why: 'hidden', count: all(q).length}];
		if (use && disabled(e)) return [e, {why: 'disabled'}];
		return [e, {why: ''}];
	}

	function describe(e) {
		let s = e.localName;
		if (e.id) s += '#' + e.id;
		for (const c of [...e.classList].slice(0, 2)) s += '.' + c;
		return '<' + s + '>';
	}

	// hit is the innermost element at a point.
	function hit(x, y) {
		let e = document.elementFromPoint(x, y);
		while (e && e.shadowRoot) {
			const below = e.shadowRoot.elementFromPoint(x, y);
			if (!below || below === e) break;
			e = below;
		}
		return e;
	}

	function within(e, outer) {
		for (let n = e; n; n = n.assignedSlot || n.parentNode || n.host) if (n === outer) return true;
		return false;
	}

	// view brings an element into view, in one jump.
	function view(e) {
		const r = e.getBoundingClientRect();
		if (r.top < 0 || r.left < 0 || r.bottom > innerHeight || r.right > innerWidth)
			e.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
	}

	// point is where to click an element.
	function point(q, anyhow) {
		const [e, st] = look(q, !anyhow);
		if (st.why) return st;
		view(e);
		const was = e.getBoundingClientRect();
		for (const r of e.getClientRects()) {
			const left = Math.max(r.left, 0), right = Math.min(r.right, innerWidth);
			const top = Math.max(r.top, 0), bottom = Math.min(r.bottom, innerHeight);
			if (right - left < 1 || bottom - top < 1) continue;
			for (const [fx, fy] of [[.5, .5], [.25, .25], [.75, .75], [.25, .75], [.75, .25]]) {
				const x = left + (right - left) * fx, y = top + (bottom - top) * fy;
				const h = hit(x, y);
				if (h && (within(h, e) || h.control === e || within(e, h) && getComputedStyle(e).pointerEvents === 'none')) {
					return {why: '', x, y, said: squeeze(label(e)).slice(0, 40), by: [was.left, was.top].join()};
				}
				if (h) st.by = describe(h);
			}
		}
		st.why = st.by ? 'covered' : 'hidden';
		return st;
	}

	const changed = (e, ...types) => types.forEach(t => e.dispatchEvent(new Event(t, {bubbles: true, composed: true})));

	// field makes a field ready to be typed in, or sets it where typing is no way.
	function field(q, value, keep) {
		let [e, st] = look(q, true);
		if (e && e.localName === 'label' && e.control) e = e.control;
		if (st.why) return st;
		view(e);
		if (e.localName === 'select') return {why: 'this is a select element; use select'};
		if (e.localName === 'input' && /^(checkbox|radio)$/.test(e.type)) {
			if (!/^(true|false)$/.test(value)) return {why: 'this is a ' + e.type + '; its value is true or false'};
			return {why: '', mode: e.checked === (value === 'true') ? 'set' : 'click'};
		}
		if (e.localName === 'input' && /^(date|time|month|week|datetime-local|color|range)$/.test(e.type)) {
			Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(e, value);
			if (e.value !== value) return {why: 'this is a ' + e.type + ' field, which the value does not suit'};
			changed(e, 'input', 'change');
			return {why: '', mode: 'set'};
		}
		if (!e.isContentEditable && !/^(input|textarea)$/.test(e.localName)) return {why: 'this is no field, but ' + describe(e)};
		if (e.readOnly) return {why: 'this field is only to be read'};
		e.focus();
		if (e.isContentEditable) getSelection().selectAllChildren(e);
		else e.select();
		if (!value && (e.value || e.isContentEditable)) document.execCommand('delete');
		return {why: '', mode: 'type'};
	}

	// value is what stands in a field.
	function value(q) {
		const e = pick(q);
		return e ? e.isContentEditable ? e.textContent : e.value || '' : '';
	}

	function focus(q) {
		const [e, st] = look(q, true);
		if (e && !st.why) view(e), e.focus();
		return st;
	}

	// choose chooses options.
	function choose(q, wanted) {
		const [e, st] = look(q, true);
		if (st.why) return st;
		if (e.localName !== 'select') return {why: 'this is no select element, but ' + describe(e)};
		const options = [...e.options], chosen = [];
		for (const w of wanted) {
			const o = options.find(o => o.value === w) || options.find(o => fold(o.label) === fold(w));
			if (!o) return {why: 'missing option', by: w, said: options.map(o => squeeze(o.label)).slice(0, 20).join(', ')};
			chosen.push(o);
		}
		if (chosen.length > 1 && !e.multiple) return {why: 'this takes one option only'};
		for (const o of options) o.selected = chosen.includes(o);
		changed(e, 'input', 'change');
		return {why: '', said: chosen.map(o => squeeze(o.label)).join(', ')};
	}

	function submit(q) {
		let e;
		if (q.css || q.xpath || q.text || q.scope || q.found) {
			e = pick(q);
			if (!e) return {why: 'missing'};
		} else {
			e = document.activeElement;
			if (!e || !e.form && !e.closest('form')) e = document.forms[0];
		}
		const form = e && (e.form || e.closest('form'));
		if (!form) return {why: 'there is no form'};
		if (!form.noValidate && !form.checkValidity()) {
			const bad = form.querySelector(':invalid:not(fieldset)');
			return {why: 'the form is not filled in right: ' + describe(bad) + ': ' + bad.validationMessage};
		}
		form.requestSubmit(/^(submit|image)$/.test(e.type) ? e : form.querySelector('[type=submit],button:not([type])'));
		return {why: ''};
	}

	// size is what a page or element amounts to.
	function size(q, items) {
		const e = q ? pick(q) : document.scrollingElement || document.documentElement;
		if (!e) return {why: 'missing'};
		let count = 0;
		if (items) count = all(items).length;
		else for (const root of roots(q ? e : document)) count += root.querySelectorAll('*').length;
		return {why: '', count, height: e.scrollHeight, top: e.scrollTop, view: e.clientHeight};
	}

	function scroll(q, by, jump) {
		const e = q ? pick(q) : document.scrollingElement || document.documentElement;
		if (!e) return {why: 'missing'};
		const top = jump ? e.scrollHeight : e.scrollTop + (by || Math.max(Math.floor(e.clientHeight * .9), 1));
		e.scrollTo({top, behavior: 'instant'});
		return size(q, null);
	}

	// frames waits until the page has been drawn, in a tab that is drawn at all.
	const drawn = () => new Promise(done => {
		requestAnimationFrame(() => requestAnimationFrame(done));
		setTimeout(done, 300);
	});

	// print is a number that changes with what a page shows.
	function print(q) {
		const e = q ? pick(q) : document.body || document.documentElement;
		if (!e) return {why: 'missing'};
		const r = e.getBoundingClientRect();
		let h = 0;
		const text = q ? [r.x, r.y, r.width, r.height].join() + e.innerText : location.href + e.innerText;
		for (let i = 0; i < text.length; i++) h = Math.imul(h, 31) + text.charCodeAt(i) | 0;
		return {why: '', count: h};
	}

	// html is the document, with what shadow roots show in place of what they hide.
	function html(most) {
		const d = document.implementation.createHTMLDocument('');
		const copy = n => {
			if (n.localName === 'slot' && n.getRootNode() instanceof ShadowRoot) {
				const f = d.createDocumentFragment(), given = n.assignedNodes();
				for (const k of given.length ? given : n.childNodes) f.append(copy(k));
				return f;
			}
			const c = d.importNode(n, n.localName === 'template');
			if (n.localName !== 'template') for (const k of (n.shadowRoot || n).childNodes) c.append(copy(k));
			return c;
		};
		const e = document.documentElement;
		let s = e ? (roots(document).length > 1 ? copy(e) : e).outerHTML : '';
		if (e && e.localName === 'html') s = (document.compatMode === 'CSS1Compat' ? '<!DOCTYPE html>' : '') + s;
		return {html: s.slice(0, most), cut: s.length > most, url: location.href};
	}

	// rect is where an element is in the window.
	function rect(q) {
		const [e, st] = look(q, false);
		if (st.why) return st;
		view(e);
		const r = e.getBoundingClientRect();
		return {why: '', x: r.x, y: r.y, width: r.width, height: r.height};
	}

	// Consent dialogs of the usual makers: how to reject and to accept.
	const makers = [
		['#onetrust-reject-all-handler', '#onetrust-accept-btn-handler'],
		['#CybotCookiebotDialogBodyButtonDecline', '#CybotCookiebotDialogBodyLevelButtonLevelOptinAllowAll, #CybotCookiebotDialogBodyButtonAccept'],
		['[data-testid=uc-deny-all-button]', '[data-testid=uc-accept-all-button]'],
		['#didomi-notice-disagree-button, .didomi-continue-without-agreeing', '#didomi-notice-agree-button'],
		['#truste-consent-required', '#truste-consent-button'],
		['.osano-cm-denyAll', '.osano-cm-accept-all'],
		['.iubenda-cs-reject-btn', '.iubenda-cs-accept-btn'],
		['#cmpbntnotxt', '#cmpbntyestxt'],
		['.cm-btn-decline, .cn-decline', '.cm-btn-accept-all, .cm-btn-success'],
		['.cky-btn-reject', '.cky-btn-accept'],
		['.cmplz-deny', '.cmplz-accept'],
		['.fc-cta-do-not-consent', '.fc-cta-consent'],
		['[mode=primary][data-qc-action=reject]', '.qc-cmp2-summary-buttons [mode=primary]'],
		['.cc-deny', '.cc-allow, .cc-dismiss'],
		['#axeptio_btn_dismiss', '#axeptio_btn_acceptAll'],
		['#tarteaucitronAllDenied2', '#tarteaucitronPersonalize2'],
	];
	const about = /cookie|consent|privacy|gdpr|datenschutz|einwillig|confidentialit|vie privée|consentement|privacidad|privacidade|riservatezza|privatsphäre|prywatno|personvern|integritet|tietosuoja|konfidenci/i;
	const rejects = /^(i )?(reject|decline|refuse|deny|disagree)( all)?( (non-essential|optional))?( cookies)?$|^(only|use|accept|allow) (only )?(strictly )?(necessary|essential|required)( cookies)?( only)?$|^(necessary|essential)( cookies)? only$|^continue without (accepting|agreeing)|^(alle )?(cookies )?(ablehnen|verweigern)$|^nur (notwendige|erforderliche|essenzielle|essentielle)|^(tout refuser|refuser( tout)?|continuer sans accepter)$|^(rechazar|denegar)( todo| todas)?( las cookies)?$|^(rifiuta|nega)( tutti| tutto)?$|^(alles )?(weigeren|afwijzen)$|^(rejeitar|recusar)( tudo| todos)?$|^(odrzuć|odmów)( wszystkie)?$|^(avvisa|neka|avböj)( alla?| alle)?$|^(hylkää|kiellä)( kaikki)?$/i;
	const accepts = /^(i )?(accept|agree|allow|consent)( to)?( all)?( cookies)?( (and|&) (close|continue))?$|^(ok|okay|got it|i understand|yes)[.!]?$|^(alle )?(cookies )?(akzeptieren|annehmen|zulassen|erlauben)$|^(alles )?akzeptieren$|^(ich )?(stimme zu|zustimmen|einverstanden)$|^(tout accepter|accepter( tout)?|j'accepte)$|^(aceptar|permitir)( todo| todas)?( las cookies)?$|^(accetta|consenti)( tutti| tutto)?$|^(alles )?(accepteren|toestaan|akkoord)$|^(aceitar|permitir)( tudo| todos)?$|^(akceptuj|zaakceptuj|zgadzam się)( wszystkie)?$|^(godta|acceptera|tillåt|godkänn)( alla?| alle)?$|^(hyväksy|salli)( kaikki)?$/i;

	const buttons = e => list({css: 'button, a, [role=button], input[type=button], input[type=submit]'}, e).filter(visible);

	// dialogs are what lies over the page and speaks of consent.
	function dialogs() {
		const out = [];
		for (const root of roots(document)) {
			for (const e of root.querySelectorAll('[role=dialog], [role=alertdialog], [aria-modal=true], dialog[open]')) out.push(e);
			for (const e of root.querySelectorAll('body > *, body > * > *, body > * > * > *, :host > *, form, div, section, aside'))
				if (/^(fixed|sticky)$/.test(getComputedStyle(e).position)) out.push(e);
		}
		return out.filter(e => visible(e) && about.test(label(e)));
	}

	// consent finds the button that answers a consent dialog.
	function consent(reject) {
		for (const which of reject ? [0, 1] : [1, 0]) {
			for (const maker of makers)
				for (const e of list({css: maker[which]}, document))
					if (visible(e)) return found(e, which);
			for (const d of dialogs())
				for (const e of buttons(d))
					if ((which ? accepts : rejects).test(squeeze(label(e)))) return found(e, which);
		}
		const d = dialogs()[0];
		return d ? {why: 'no button of it says yes or no', by: describe(d)} : {why: 'missing'};
	}

	function found(e, which) {
		quarry.found = e;
		return {why: '', said: squeeze(label(e)), mode: which ? 'accept' : 'reject'};
	}

	// login finds the fields of a login form.
	function login(what) {
		const password = list({css: 'input[type=password]'}, document).find(visible);
		if (!password) return {why: 'missing'};
		if (what === 'password') return found(password);
		const fields = [...(password.form || document).querySelectorAll('input')].filter(e => /^(text|email|tel|)$/.test(e.type) && visible(e));
		const before = fields.filter(e => e.compareDocumentPosition(password) & Node.DOCUMENT_POSITION_FOLLOWING);
		const user = fields.find(e => /username|email/.test(e.autocomplete)) || before.at(-1);
		return user ? found(user) : {why: 'there is no field for the user before that for the password'};
	}

	// clickable are elements that answer clicks and are no links, those that were
	// handed to handled first.
	function clickable(q) {
		let out;
		if (q) out = all(q);
		else {
			out = new Set(quarry.handled || []);
			for (const e of list({css: '[onclick], [data-href], [data-url], [data-link], [role=link], button:not([type=submit]), [role=button]'}, document)) out.add(e);
			for (const root of roots(document))
				for (const e of root.querySelectorAll('*')) {
					const up = e.parentElement;
					if (getComputedStyle(e).cursor === 'pointer' && !(up && getComputedStyle(up).cursor === 'pointer')) out.add(e);
				}
			out = [...out].filter(e => e.nodeType === 1 && visible(e) && !/^(html|body|input|select|textarea|label|option|iframe)$/.test(e.localName) &&
				!e.closest('a[href], [contenteditable]') && !(e.type === 'submit' && e.form));
			out = out.filter(e => !out.some(o => o !== e && e.contains(o)) || e.hasAttribute('onclick') || (quarry.handled || []).includes(e));
			out.sort((a, b) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);
		}
		quarry.clicks = out;
		return {why: '', count: out.length};
	}

	// press clicks the nth of them, while navigations are taken down and prevented.
	function press(n) {
		const e = quarry.clicks[n];
		if (!quarry.went) {
			quarry.went = [];
			navigation.addEventListener('navigate', ev => {
				if (!quarry.armed) return;
				quarry.went.push(ev.destination.url);
				if (ev.cancelable) ev.preventDefault();
			});
		}
		if (!e || !e.isConnected || !visible(e)) return {why: 'missing'};
		quarry.armed = true;
		quarry.went.length = 0;
		e.click();
		return {why: '', said: squeeze(label(e)).slice(0, 200)};
	}

	// pressed are the URLs that a click has led to.
	function pressed(end) {
		if (end) quarry.armed = false;
		return {urls: [...new Set(quarry.went || [])], at: location.href};
	}

	globalThis.quarry = {
		consent, login, clickable, press, pressed, handled: [],
		all, pick, look: (q, use) => Object.assign(look(q, use)[1], {total: all(q).length}), point, field, value, focus, choose, submit,
		size, scroll, drawn, print, html, rect, visible, label, squeeze, fold, roots, describe,
		count: q => ({why: '', count: all(q).length}),
		page: () => ({url: location.href, ready: document.readyState}),
	};
})();
