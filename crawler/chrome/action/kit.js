// What chains do within a page, in a world of its own in each frame.
(() => {
	if (globalThis.quarry) return;
	// What has no width does not tell texts apart, nor do case and spacing.
	const squeeze = s => (s || '').replace(/\s+/g, ' ').trim();
	const fold = s => squeeze((s || '').normalize().replace(/[\u00ad\u200b\u2060]/g, '')).toLowerCase();

	// roots are a node and all open shadow roots below it.
	function roots(from) {
		const out = from.shadowRoot ? [from, from.shadowRoot] : [from];
		for (let i = 0; i < out.length; i++)
			for (const e of out[i].querySelectorAll('*'))
				if (e.shadowRoot && e !== out[0]) out.push(e.shadowRoot);
		return out;
	}

	// kids are the nodes that are shown within an element: those of its shadow root,
	// and of what something else is shown for, a field or what drawings use, none.
	const replaced = /^(audio|canvas|clipPath|defs|iframe|marker|mask|meter|object|pattern|progress|select|symbol|textarea|video)$/;
	function kids(e) {
		if (replaced.test(e.localName)) return [];
		if (e.shadowRoot) return e.shadowRoot.childNodes;
		if (e.localName === 'slot' && e.getRootNode() instanceof ShadowRoot && e.assignedNodes().length) return e.assignedNodes();
		if (e.localName === 'details' && !e.open) return [...e.children].filter(k => k.localName === 'summary').slice(0, 1);
		return e.childNodes;
	}

	// own is the text that an element shows by itself.
	function own(e) {
		if (e.localName === 'input') return /^(button|submit|reset)$/.test(e.type) ? e.value : '';
		if (e.localName === 'select') return [...e.selectedOptions].map(o => o.label).join(' ');
		return e.localName === 'br' ? ' ' : '';
	}

	// texts are what a reader sees of the elements at and below one: nothing that is
	// not displayed, as scripts and templates, nor what is invisible, transparent,
	// without size, clipped away, beside the page or folded in. Elements without a
	// box have none.
	function texts(from) {
		const out = new Map();
		// inner is within what clips or scrolls; cut is within what clips all away,
		// and whether what is placed absolutely is so, too.
		const read = (e, inner, cut) => {
			const style = getComputedStyle(e), boxless = style.display === 'contents';
			if (style.display === 'none' || style.opacity === '0' || !boxless && !e.checkVisibility()) return '';
			const {position} = style, placed = position !== 'static' || style.transform !== 'none';
			if (position === 'fixed') inner = cut = '';
			if (position === 'absolute' && cut === 'static') cut = '';
			if (cut && placed) cut = 'placed';
			const clips = e instanceof HTMLElement && style.overflowX !== 'visible' && !/^(inline|contents)$/.test(style.display) && !/^(html|body)$/.test(e.localName);
			if (clips && !cut && (e.clientWidth <= 1 || e.clientHeight <= 1)) cut = placed ? 'placed' : 'static';
			if (!inner && /^(absolute|fixed)$/.test(position) && style.direction === 'ltr') {
				const r = e.getBoundingClientRect();
				if (r.width > 0 && r.right + scrollX <= 0 || r.height > 0 && r.bottom + scrollY <= 0) return '';
			}
			inner = inner || clips;
			const shown = !cut && style.visibility === 'visible' && style.fontSize !== '0px';
			let text = shown ? own(e) : '';
			if (style.contentVisibility !== 'hidden')
				for (const k of kids(e)) {
					if (k.nodeType === 1) text += read(k, inner, cut);
					else if (k.nodeType === 3 && shown) text += k.data;
				}
			if (e.localName === 'select' && shown) for (const o of e.options) out.set(o, o.label);
			if (!/^(inline|contents|ruby)/.test(style.display)) text = ' ' + text + ' ';
			if (!boxless && !cut) out.set(e, text);
			return text;
		};
		read(from, '', '');
		return out;
	}

	// label is what a reader sees of an element.
	const label = e => texts(e).get(e) || '';

	// says are the smallest elements at or below n that hold a text.
	function says(n, text, seen, out) {
		let hit = false;
		for (const k of kids(n)) if (k.nodeType === 1 && says(k, text, seen, out)) hit = true;
		if (!hit && seen.has(n) && (fold(seen.get(n)).includes(text) || fold(n.getAttribute('aria-label')).includes(text))) {
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
			const text = fold(q.text), seen = texts(document.documentElement);
			if (q.css) out = out.filter(e => fold(seen.get(e)).includes(text));
			else says(base === document ? document.documentElement : base, text, seen, out = []);
			const whole = e => fold(seen.get(e)) === text;
			out = [...out.filter(whole), ...out.filter(e => !whole(e))];
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

	// view brings an element into view within all that scrolls around it, in one jump.
	const view = (e, block = 'nearest') => e.scrollIntoView({block, inline: block === 'nearest' ? block : 'center', behavior: 'instant'});

	// hits reports whether a click on what is at a point is one on an element.
	const hits = (e, at) => at && (within(at, e) || at.closest('label')?.control === e || within(e, at) && getComputedStyle(e).pointerEvents === 'none');

	// open is a point of an element that can be seen and is covered by nothing else:
	// its middle, or one of those all over what of it is within the window.
	const parts = [.5, .25, .75, .1, .9];
	function open(e, st) {
		st.by = '';
		for (const r of e.getClientRects()) {
			const left = Math.max(r.left, 0), right = Math.min(r.right, innerWidth);
			const top = Math.max(r.top, 0), bottom = Math.min(r.bottom, innerHeight);
			if (right - left < 1 || bottom - top < 1) continue;
			const spots = [[(r.left + r.right) / 2, (r.top + r.bottom) / 2]];
			for (const fx of parts) for (const fy of parts) spots.push([left + (right - left) * fx, top + (bottom - top) * fy]);
			for (const [x, y] of spots) {
				const at = hit(x, y);
				if (hits(e, at)) return {x, y};
				if (at) st.by = st.by || describe(at);
			}
		}
	}

	// point is where to click an element, which has to be in view and to hold still.
	// What is covered where it is, as by a bar that stays, may not be elsewhere.
	async function point(q, anyhow) {
		const [e, st] = look(q, !anyhow);
		if (st.why) return st;
		let at = open(e, st);
		for (const block of ['center', 'end', 'start', 'nearest']) {
			if (at) break;
			view(e, block);
			at = open(e, st);
		}
		const none = () => Object.assign(st, {why: st.by ? 'covered' : 'outside'});
		if (!at) return none();
		// An animation that was just begun holds still until it is first drawn.
		const begun = document.getAnimations().filter(a => a.pending).map(a => a.ready.catch(() => {}));
		if (begun.length) await Promise.race([Promise.all(begun), new Promise(done => setTimeout(done, 300))]);
		const was = e.getBoundingClientRect();
		await drawn();
		const is = e.getBoundingClientRect();
		if (['left', 'top', 'width', 'height'].some(k => Math.abs(was[k] - is[k]) >= 1)) return {why: 'moving'};
		if (!(at = open(e, st))) return none();
		quarry.aim = e;
		return {why: '', ...at, width: innerWidth, height: innerHeight, said: squeeze(label(e)).slice(0, 40)};
	}

	// arm has a click come to nothing that does not hit what was pointed at, because
	// that has moved or was covered since.
	function arm(x, y) {
		const e = quarry.aim, at = hit(x, y);
		if (!e || !e.isConnected) return {why: 'missing'};
		if (!hits(e, at)) return {why: at ? 'covered' : 'outside', by: at ? describe(at) : ''};
		let missed = '', file = '';
		// What the page does with the click is known when all have heard of it.
		const download = ev => {
			const a = ev.composedPath().find(n => n.localName === 'a' && n.hasAttribute('download') && n.href);
			if (a && !ev.defaultPrevented) file = a.href;
		};
		const guard = ev => {
			const at = ev.composedPath()[0];
			if (ev.isTrusted && /down$/.test(ev.type) && !missed && at.nodeType === 1 && !hits(e, at)) missed = describe(at);
			if (!missed) return;
			ev.preventDefault();
			ev.stopImmediatePropagation();
		};
		const types = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu'];
		for (const t of types) addEventListener(t, guard, true);
		addEventListener('click', download);
		quarry.armed = () => {
			for (const t of types) removeEventListener(t, guard, true);
			removeEventListener('click', download);
			return missed ? {why: 'covered', by: missed} : {why: '', file};
		};
		return {why: ''};
	}

	// struck tells how a click went.
	function struck() {
		const st = quarry.armed ? quarry.armed() : {why: ''};
		quarry.armed = null;
		return st;
	}

	const changed = (e, ...types) => types.forEach(t => e.dispatchEvent(new Event(t, {bubbles: true, composed: true})));

	// fill makes a field ready to be typed in, or sets it where typing is no way.
	function fill(q, value) {
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
		if (e.localName === 'input' && e.type === 'file') return {why: 'this is a file field, and chains send no files'};
		if (e.localName === 'input' && e.type === 'number' && value && !Number.isFinite(+value)) return {why: 'this is a number field, which the value does not suit'};
		const writes = e.localName === 'textarea' || e.localName === 'input' && !/^(submit|button|reset|image)$/.test(e.type);
		if (!e.isContentEditable && !writes) return {why: 'this is no field, but ' + describe(e)};
		if (e.readOnly) return {why: 'this field is only to be read'};
		e.focus();
		quarry.field = {e, was: content(e), heard: false};
		e.addEventListener('input', () => quarry.field.heard = true, {once: true, capture: true});
		if (e.isContentEditable) getSelection().selectAllChildren(e);
		else e.select();
		if (!value && (e.value || e.isContentEditable)) document.execCommand('delete');
		return {why: '', mode: 'type'};
	}

	const content = e => e.isContentEditable ? e.textContent : e.value || '';

	// written tells whether the field took what was written into it.
	function written(value) {
		const f = quarry.field;
		if (!f || !f.e.isConnected) return {why: ''};
		const is = content(f.e);
		if (!f.heard && is === f.was && is !== value) return {why: 'the field took nothing'};
		return {why: '', said: squeeze(is) === squeeze(value) ? '' : 'the field holds another text than was written'};
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
			if (o && (o.disabled || o.closest('optgroup[disabled]'))) return {why: `the option ${w} is disabled`};
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
				if (!quarry.pressing) return;
				quarry.went.push(ev.destination.url);
				if (ev.cancelable) ev.preventDefault();
			});
		}
		if (!e || !e.isConnected || !visible(e)) return {why: 'missing'};
		quarry.pressing = true;
		quarry.went.length = 0;
		e.click();
		return {why: '', said: squeeze(label(e)).slice(0, 200)};
	}

	// pressed are the URLs that a click has led to.
	function pressed(end) {
		if (end) quarry.pressing = false;
		return {urls: [...new Set(quarry.went || [])], at: location.href};
	}

	globalThis.quarry = {
		consent, login, clickable, press, pressed, handled: [],
		all, pick, look: (q, use) => Object.assign(look(q, use)[1], {total: all(q).length}), point, arm, struck, fill, written, focus, choose, submit,
		size, scroll, drawn, print, html, rect, visible, label, squeeze, fold, roots, describe,
		count: q => ({why: '', count: all(q).length}),
		page: () => ({url: location.href, ready: document.readyState, width: innerWidth, height: innerHeight}),
	};
})();
