// Runs in each new document before its own scripts: notes what the page is still
// about to do, and has read() wait for that.
(() => {
  if (window !== window.top) return
  const patience = 2000, depthMax = 10
  const { setTimeout: later, clearTimeout: never, setInterval: again, clearInterval: neverMore, requestAnimationFrame: frame, Math, Promise, XMLSerializer, scheduler } = window
  const background = scheduler ? fn => scheduler.postTask(fn, { priority: 'background' }) : fn => later.call(window, fn)
  // An element of a page may have the name of what a document has.
  const [rootOf, state] = ['documentElement', 'readyState'].map(name => Object.getOwnPropertyDescriptor(Document.prototype, name).get.bind(document))
  const find = document.querySelector.bind(document)
  const now = performance.now.bind(performance)
  const pending = new Map()
  const shadows = []
  let depth = 0, changed = now(), waiting = 0, elsewhere = false

  // A timer that is due soon will change the page; one that timers of timers set
  // is a clock.
  window.setTimeout = function setTimeout(fn, ms, ...args) {
    if (typeof fn !== 'function') return later.call(window, fn, ms, ...args)
    const mine = depth + 1
    const id = later.call(window, () => {
      pending.delete(id)
      const outer = depth
      depth = mine
      try { fn.apply(window, args) } finally { depth = outer }
    }, ms)
    if (!(ms > patience) && mine <= depthMax) pending.set(id, now() + (ms > 0 ? +ms : 0))
    return id
  }
  window.setInterval = function setInterval(fn, ms, ...args) {
    if (!(ms > 100)) elsewhere = true
    return again.call(window, fn, ms, ...args)
  }
  window.clearTimeout = function clearTimeout(id) { pending.delete(id); never.call(window, id) }
  window.clearInterval = function clearInterval(id) { pending.delete(id); neverMore.call(window, id) }

  // What was asked for, or is being read, will change the page as well. Requests
  // show here before they reach the proxy.
  const enter = () => { waiting++ }
  const leave = () => { waiting--; changed = now() }
  const awaited = (object, name) => {
    const original = object && object[name]
    if (!original) return
    object[name] = { [name](...args) {
      const answer = original.apply(this, args)
      enter()
      answer.then(leave, leave)
      return answer
    } }[name]
  }
  awaited(window, 'fetch')
  const promised = {
    Blob: 'arrayBuffer bytes text', Cache: 'add addAll delete keys match matchAll put', CacheStorage: 'delete has keys match open',
    HTMLImageElement: 'decode', IDBFactory: 'databases', Response: 'arrayBuffer blob bytes formData json text',
    SubtleCrypto: 'decrypt deriveBits deriveKey digest encrypt exportKey generateKey importKey sign unwrapKey verify wrapKey',
  }
  for (const of in promised)
    for (const name of promised[of].split(' ')) awaited(window[of]?.prototype, name)

  // A database says by events when it is done.
  const announced = (object, name, ends) => {
    const original = object && object[name]
    if (!original) return
    object[name] = { [name](...args) {
      const request = original.apply(this, args)
      let over = false
      enter()
      for (const end of ends) request.addEventListener(end, () => { over || leave(); over = true })
      return request
    } }[name]
  }
  announced(window.IDBFactory?.prototype, 'open', ['success', 'error', 'blocked'])
  announced(window.IDBDatabase?.prototype, 'transaction', ['complete', 'abort'])
  const send = XMLHttpRequest.prototype.send
  XMLHttpRequest.prototype.send = function (body) {
    enter()
    this.addEventListener('loadend', leave, { once: true })
    try { return send.call(this, body) } catch (e) { leave(); throw e }
  }

  // What goes on outside of the page's own turns, in workers, in storage, from frame
  // to frame, comes back in its own time: a page that has used any of it is given
  // frames, and more time to change.
  const own = 'BroadcastChannel EventSource FileReader IntersectionObserver ResizeObserver SharedWorker WebAssembly Worker caches createImageBitmap ' +
    'crypto indexedDB requestAnimationFrame requestIdleCallback'
  for (const name of own.split(' ')) {
    const is = Object.getOwnPropertyDescriptor(window, name)
    if (!is) continue
    Object.defineProperty(window, name, {
      configurable: true, enumerable: is.enumerable,
      get() { elsewhere = true; return is.get ? is.get.call(window) : is.value },
      set(v) { Object.defineProperty(window, name, { configurable: true, enumerable: true, writable: true, value: v }) },
    })
  }
  new MutationObserver(() => { changed = now() }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })

  const attach = Element.prototype.attachShadow
  Element.prototype.attachShadow = function attachShadow(init) {
    const root = attach.call(this, init)
    shadows.push(root)
    return root
  }
  // Windows that a page opens are closed and become links; a flood of them would
  // take the browser down.
  const open = window.open
  let opened = 0
  window.open = function (...args) { return ++opened > 20 ? null : open.apply(window, args) }
  window.close = () => {}
  try { ServiceWorkerContainer.prototype.register = () => Promise.reject(new DOMException('not here', 'SecurityError')) } catch {}

  // A page that is about to leave says so before the browser does anything.
  const parting = 1000
  let leaving = -Infinity
  window.addEventListener('beforeunload', () => { leaving = now() })
  let complete = Infinity
  const refresh = () => {
    const meta = find('meta[http-equiv="refresh" i]')
    const after = meta ? 1000 * parseFloat(meta.content) : Infinity
    return after <= patience && now() < complete + after + parting
  }

  // What waits to be seen, or for the next frame, gets one. A page that is given
  // none by the browser does not wait for ever.
  const unframed = 300
  let framing = 0, framed = false
  const frames = () => {
    if (!framing) {
      framing = now()
      frame.call(window, () => frame.call(window, () => { framed = true }))
    }
    return framed || now() - framing >= unframed
  }

  const slow = () => elsewhere || find('img[loading=lazy]') !== null

  // due is how long the page has to wait at least, in milliseconds.
  const due = (quick, quiet) => {
    if (state() !== 'complete') return 10
    complete = Math.min(complete, now())
    if (pending.size > 0 || waiting > 0 || refresh() || slow() && !frames()) return 10
    return Math.max(changed + (slow() ? quiet : quick), leaving + parting) - now()
  }

  // text is the document as it stands, cut after so many characters.
  const text = max => {
    const root = rootOf()
    if (!root) return ''
    const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : ''
    const html = type + (shadows.length && root.getHTML
      ? root.outerHTML.slice(0, root.outerHTML.indexOf('>') + 1) + root.getHTML({ shadowRoots: shadows }) + '</html>'
      : root.outerHTML)
    return html.length > max ? html.slice(0, max) : html
  }

  // read answers when nothing is due any more, and what had its turn meanwhile has
  // not changed that; or at once if the page wants frames and is not drawn.
  const read = (wait, quick, quiet, drawn, max) => new Promise(answer => {
    const end = now() + wait
    const tell = settled => answer([settled, slow(), location.href, text(max)])
    const look = last => {
      const ms = due(quick, quiet)
      if (slow() && !drawn) answer([false, true, '', ''])
      else if (now() >= end) tell(ms <= 0)
      else if (ms > 0) later.call(window, look, Math.min(ms, 10, end - now()))
      else if (last === changed) tell(true)
      else {
        // A page that always has something to do leaves no turn to what can wait.
        const late = later.call(window, () => tell(false), end - now())
        background(() => { never.call(window, late); look(changed) })
      }
    }
    look()
  })
  Object.defineProperty(window, '__quarry', { value: Object.freeze({ read }), enumerable: false })
})()
