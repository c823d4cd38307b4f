package chrome_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
	"github.com/webquarry/quarry/frontier"
)

// ways are what pages may try to reach an address by, past the proxy: AT is the
// address of a listener for TCP and UDP, PORT its port.
var ways = map[string]string{
	"stun":          `<script>const pc = new RTCPeerConnection({iceServers: [{urls: "stun:AT"}]}); pc.createDataChannel("x"); pc.createOffer().then(o => pc.setLocalDescription(o))</script>`,
	"turn udp":      `<script>const pc = new RTCPeerConnection({iceServers: [{urls: "turn:AT?transport=udp", username: "a", credential: "b"}]}); pc.createDataChannel("x"); pc.createOffer().then(o => pc.setLocalDescription(o))</script>`,
	"turn tcp":      `<script>const pc = new RTCPeerConnection({iceServers: [{urls: "turn:AT?transport=tcp", username: "a", credential: "b"}]}); pc.createDataChannel("x"); pc.createOffer().then(o => pc.setLocalDescription(o))</script>`,
	"turns":         `<script>const pc = new RTCPeerConnection({iceServers: [{urls: "turns:AT?transport=tcp", username: "a", credential: "b"}], iceTransportPolicy: "relay"}); pc.createDataChannel("x"); pc.createOffer().then(o => pc.setLocalDescription(o))</script>`,
	"peers":         `<script>(async () => { const pc = new RTCPeerConnection; pc.createDataChannel("x"); await pc.setLocalDescription(await pc.createOffer()); const sdp = pc.localDescription.sdp.replace("a=setup:actpass", "a=setup:active") + "a=candidate:1 1 udp 2122260223 127.0.0.1 PORT typ host\r\n"; await pc.setRemoteDescription({type: "answer", sdp}).catch(() => {}); await pc.addIceCandidate({candidate: "candidate:1 1 udp 2122260223 127.0.0.1 PORT typ host", sdpMid: "0"}).catch(() => {}) })()</script>`,
	"stun in frame": `<iframe srcdoc="<script>const pc = new RTCPeerConnection({iceServers: [{urls: 'stun:AT'}]}); pc.createDataChannel('x'); pc.createOffer().then(o => pc.setLocalDescription(o))</script>"></iframe>`,
	"stun by name":  `<script>const pc = new RTCPeerConnection({iceServers: [{urls: "stun:localhost:PORT"}, {urls: "stun:stun.example:3478"}]}); pc.createDataChannel("x"); pc.createOffer().then(o => pc.setLocalDescription(o))</script>`,
	"dns prefetch":  `<meta http-equiv=x-dns-prefetch-control content=on><link rel=dns-prefetch href=//secret.example><a href=http://other.secret.example/>x</a>`,
	"preconnect":    `<link rel=preconnect href=http://AT><link rel=preconnect href=https://AT crossorigin><script>const l = document.createElement("link"); l.rel = "preconnect"; l.href = "http://AT/"; document.head.append(l)</script>`,
	"prefetch":      `<link rel=prefetch href=http://AT/p><link rel=prerender href=http://AT/r><link rel=modulepreload href=http://AT/m.js><link rel=preload as=image href=http://AT/i>`,
	"speculation":   `<script type=speculationrules>{"prefetch": [{"source": "list", "urls": ["http://AT/s", "/s"]}], "prerender": [{"source": "list", "urls": ["/t"]}]}</script>`,
	"ping":          `<a id=a href="#x" ping="http://AT/ping">x</a><script>a.click()</script>`,
	"beacon":        `<script>navigator.sendBeacon("http://AT/b", "x"); onpagehide = onunload = () => { navigator.sendBeacon("http://AT/c", "x"); fetch("http://AT/k", {keepalive: true, mode: "no-cors"}) }</script>`,
	"fetch later":   `<script>try { fetchLater("https://AT/l", {activateAfter: 0}) } catch {}; fetch("http://AT/f", {mode: "no-cors"}); new XMLHttpRequest().open("GET", "http://AT/x", true)</script>`,
	"websocket":     `<script>new WebSocket("ws://AT/w"); new WebSocket("wss://AT/w"); try { new WebSocketStream("ws://AT/s") } catch {}</script>`,
	"events":        `<script>new EventSource("http://AT/e")</script>`,
	"webtransport":  `<script>try { new WebTransport("https://AT/t").ready.catch(() => {}); new WebTransport("https://AT/u", {serverCertificateHashes: [{algorithm: "sha-256", value: new Uint8Array(32)}]}).ready.catch(() => {}) } catch {}</script>`,
	"workers":       `<script>new Worker(URL.createObjectURL(new Blob(['fetch("http://AT/w", {mode: "no-cors"}); try { new WebSocket("ws://AT/"); new WebTransport("https://AT/") } catch {}']))); new SharedWorker(URL.createObjectURL(new Blob(['fetch("http://AT/s", {mode: "no-cors"})'])))</script>`,
	"elements":      `<img src=http://AT/i srcset="http://AT/j 2x"><video src=http://AT/v poster=http://AT/q autoplay></video><audio src=http://AT/a autoplay></audio><embed src=http://AT/e><object data=http://AT/o></object><iframe src=http://AT/f></iframe><script src=http://AT/s></script><link rel=stylesheet href=http://AT/c><link rel=icon href=http://AT/n><link rel=manifest href=http://AT/m>`,
	"styles":        `<style>@import "http://AT/i.css"; @font-face { font-family: f; src: url(http://AT/f) } p { font-family: f; background: url(http://AT/b); cursor: url(http://AT/c), auto } </style><p>x</p>`,
	"forms":         `<form id=f method=post action=http://AT/p target=w><input name=a></form><iframe name=w></iframe><script>f.submit()</script>`,
	"windows":       `<script>open("http://AT/o"); open("http://AT/p", "_blank", "noopener")</script><a id=a href=http://AT/d download>x</a><a id=b target=_blank href=http://AT/t>x</a><script>a.click(); b.click()</script>`,
	"away":          `<script>setTimeout(() => { location = "http://AT/away" }, 100)</script>`,
	"protocols":     `<iframe src="ftp://AT/"></iframe><iframe src="view-source:http://AT/"></iframe><iframe src="chrome://version"></iframe><iframe src="file:///etc/passwd"></iframe><script>location = "ftp://AT/"</script>`,
	"policies":      `<meta http-equiv=Content-Security-Policy content="img-src 'none'; report-uri http://AT/csp"><img src=http://AT/i>`,
	"permissions":   `<script>navigator.geolocation.getCurrentPosition(() => {}, () => {}); Notification.requestPermission(); navigator.mediaDevices?.getUserMedia({audio: true}).catch(() => {}); navigator.bluetooth?.requestDevice({acceptAllDevices: true}).catch(() => {})</script>`,
	"push":          `<script>navigator.serviceWorker?.register("/w.js").then(r => r.pushManager.subscribe({userVisibleOnly: true, applicationServerKey: new Uint8Array(65)})).catch(() => {})</script>`,
	"payment":       `<link rel=payment-method-manifest href=http://AT/p><script>try { new PaymentRequest([{supportedMethods: "http://AT/pay"}], {total: {label: "x", amount: {currency: "EUR", value: "1"}}}).canMakePayment().catch(() => {}) } catch {}</script>`,
	"federated":     `<script>navigator.credentials?.get({identity: {providers: [{configURL: "https://AT/fed", clientId: "1"}]}}).catch(() => {}); navigator.credentials?.get({publicKey: {challenge: new Uint8Array(16), rpId: "past.example"}}).catch(() => {})</script>`,
	"speech":        `<script>try { const r = new (window.SpeechRecognition || webkitSpeechRecognition); r.start() } catch {}; try { speechSynthesis.speak(new SpeechSynthesisUtterance("x")) } catch {}</script>`,
	"casting":       `<video id=v src=http://AT/v></video><script>try { new PresentationRequest("http://AT/p").getAvailability().catch(() => {}) } catch {}; try { v.remote.watchAvailability(() => {}).catch(() => {}) } catch {}</script>`,
	"translation":   `<html lang=ja><p>これは日本語のページです。これは日本語のページです。</p><input type=password><script>try { Translator.create({sourceLanguage: "ja", targetLanguage: "en"}).catch(() => {}); LanguageModel.create().catch(() => {}) } catch {}</script>`,
	"printing":      `<script>print()</script>`,
	"sockets":       `<script>try { new TCPSocket("127.0.0.1", PORT); new UDPSocket({remoteAddress: "127.0.0.1", remotePort: PORT}) } catch {}</script>`,
	"attribution":   `<img attributionsrc=https://AT/a src=http://AT/i><a id=a attributionsrc="https://AT/s" href="#">x</a><script>a.click(); try { navigator.joinAdInterestGroup({owner: "https://AT", name: "x", biddingLogicURL: "https://AT/b"}, 1000).catch(() => {}); sharedStorage.worklet.addModule("https://AT/w").catch(() => {}) } catch {}</script>`,
}

// TestNothingPastTheProxy: whatever a page does, nothing of it reaches an address by
// itself: neither a connection nor a packet comes to where it all is to go. With
// QUARRY_CHROME_WAIT, a duration, the browser is left alone for so long at the end,
// for somebody who watches its sockets.
func TestNothingPastTheProxy(t *testing.T) {
	t.Parallel()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	at := tcp.Addr().String()
	udp, err := net.ListenPacket("udp", at)
	if err != nil {
		t.Skipf("no port for both TCP and UDP: %v", err)
	}
	defer udp.Close()
	var now atomic.Value
	now.Store("no page")
	go func() {
		for {
			conn, err := tcp.Accept()
			if err != nil {
				return
			}
			t.Errorf("%v: a connection", now.Load())
			conn.Close()
		}
	}()
	go func() {
		buf := make([]byte, 1500)
		for {
			n, _, err := udp.ReadFrom(buf)
			if err != nil {
				return
			}
			t.Errorf("%v: a packet of %d bytes", now.Load(), n)
		}
	}()
	_, port, _ := net.SplitHostPort(at)
	fill := strings.NewReplacer("AT", at, "PORT", port)
	via := crawler.FetcherFunc(func(_ context.Context, req frontier.Request) (*crawler.Response, error) {
		resp := &crawler.Response{Request: req, URL: req.URL, Status: 200, Body: []byte("x"), Header: http.Header{"Content-Type": {"text/plain"}, "Link": {"<http://" + at + "/link>; rel=preconnect"},
			"Alt-Svc": {fmt.Sprintf(`h3=":%s", h2="%s"`, port, at)}, "Nel": {`{"report_to": "g", "max_age": 1000, "success_fraction": 1}`}, "Access-Control-Allow-Origin": {"*"},
			"Report-To": {fmt.Sprintf(`{"group": "g", "max_age": 1000, "endpoints": [{"url": "https://%s/r"}]}`, at)}, "Reporting-Endpoints": {fmt.Sprintf(`g="https://%s/r"`, at)},
			"Content-Security-Policy-Report-Only": {"default-src 'none'; report-uri https://" + at + "/csp"}, "Accept-Ch": {"Sec-CH-UA-Full-Version-List"}}}
		if name, ok := strings.CutPrefix(req.URL, "https://past.example/"); ok && ways[strings.ReplaceAll(name, "-", " ")] != "" {
			resp.Header.Set("Content-Type", "text/html; charset=utf-8")
			resp.Body = []byte("<body><p>here</p>" + fill.Replace(ways[strings.ReplaceAll(name, "-", " ")]))
		}
		return resp, nil
	})
	f := own(t, &chrome.Fetcher{UserAgent: agent, Via: via, Settle: 700 * time.Millisecond, Tabs: 1, Load: chrome.Load{Images: true, Fonts: true, Media: true, Trackers: true}})
	n := 0
	for name := range ways {
		if n++; testing.Short() && n > 8 {
			break
		}
		now.Store(name)
		var resp *crawler.Response
		var err error
		for range 3 { // the machine may be busy
			resp, err = f.Fetch(t.Context(), frontier.Request{URL: "https://past.example/" + strings.ReplaceAll(name, " ", "-")})
			if err == nil && strings.Contains(string(resp.Body), "<p>here</p>") {
				break
			}
		}
		if name == "away" || name == "protocols" || name == "windows" {
			continue // which lead to no page
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		wantBody(t, resp, "<p>here</p>")
	}
	if wait, err := time.ParseDuration(os.Getenv("QUARRY_CHROME_WAIT")); err == nil {
		time.Sleep(wait)
	}
	now.Store("after all pages")
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
