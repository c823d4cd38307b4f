// Runs in each new document before its own scripts: notes what the page is still
// about to do, and has read() wait for that.
(() => {
  if (window !== window.top) return
  const patience = 2000, depthMax = 10
  const { setTimeout: later, clearTimeout: never, clearInterval: neverMore } = window
  const now = performance.now.bind(performance)
  const pending = new Map()
  const shadows = []
  let depth = 0, changed = now(), waiting = 0

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
  for (const name of ['text', 'json', 'arrayBuffer', 'blob', 'bytes', 'formData']) awaited(Response.prototype, name)
  const send = XMLHttpRequest.prototype.send
  XMLHttpRequest.prototype.send = function (body) {
    enter()
    this.addEventListener('loadend', leave, { once: true })
    try { return send.call(this, body) } catch (e) { leave(); throw e }
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
    const meta = document.querySelector('meta[http-equiv="refresh" i]')
    const after = meta ? 1000 * parseFloat(meta.content) : Infinity
    return after <= patience && now() < complete + after + parting
  }

  // What waits to be seen, or for the next frame, gets one. A page that is given
  // none by the browser does not wait for ever.
  const frame = window.requestAnimationFrame, unframed = 300
  let framed = false
  const completed = () => {
    if (complete !== Infinity || document.readyState !== 'complete') return
    complete = now()
    frame.call(window, () => frame.call(window, () => { framed = true }))
  }

  const done = quiet => document.readyState === 'complete' && (framed || now() - complete >= unframed) && pending.size === 0 && waiting === 0 && now() - changed >= quiet &&
    now() - leaving >= parting && !refresh()

  // text is the document as it stands, cut after so many characters.
  const text = max => {
    const root = Object.getOwnPropertyDescriptor(Document.prototype, 'documentElement').get.call(document)
    if (!root) return ''
    const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : ''
    const html = type + (shadows.length && root.getHTML
      ? root.outerHTML.slice(0, root.outerHTML.indexOf('>') + 1) + root.getHTML({ shadowRoots: shadows }) + '</html>'
      : root.outerHTML)
    return html.length > max ? html.slice(0, max) : html
  }
  const read = (wait, quiet, max) => new Promise(answer => {
    const end = now() + wait
    const look = () => {
      completed()
      const settled = done(quiet)
      if (settled || now() >= end) answer([settled, location.href, text(max)])
      else later.call(window, look, 10)
    }
    look()
  })
  Object.defineProperty(window, '__quarry', { value: Object.freeze({ read }), enumerable: false })
})()
