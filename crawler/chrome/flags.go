package chrome

import (
	"cmp"
	"os"
	"os/exec"
	"strings"

	"github.com/chromedp/chromedp"
)

// on are switches that are set: Chrome does nothing of its own accord, asks
// nobody but the proxy, and stores nothing that would outlive it.
const on = "headless hide-scrollbars mute-audio no-first-run no-default-browser-check no-pings no-service-autorun " +
	"disable-back-forward-cache disable-background-networking disable-background-timer-throttling disable-backgrounding-occluded-windows disable-breakpad " +
	"disable-client-side-phishing-detection disable-component-extensions-with-background-pages disable-component-update " +
	"disable-crash-reporter disable-default-apps disable-domain-reliability disable-extensions disable-field-trial-config " +
	"disable-gpu disable-hang-monitor disable-ipc-flooding-protection disable-notifications disable-popup-blocking " +
	"disable-prompt-on-repost disable-quic disable-renderer-backgrounding disable-search-engine-choice-screen " +
	"disable-site-isolation-trials disable-speech-api disable-sync dns-prefetch-disable enable-automation " +
	"metrics-recording-only noerrdialogs use-mock-keychain"

// off are features that Chrome does without. Frames of other sites stay in the
// process of their page: contexts keep hosts apart, and a process for each
// advertisement would cost more than the page. Without RenderDocument a page of
// the same host takes over the frame of the last, which saves a fifth of what a
// page costs.
const off = "AcceptCHFrame,AutofillServerCommunication,CertificateTransparencyComponentUpdater,DestroyProfileOnBrowserClose," +
	"DialMediaRouteProvider,HttpsUpgrades,ImprovedCookieControls,InterestFeedContentSuggestions,IsolateOrigins,LazyFrameLoading,LensOverlay,MediaRouter,NetworkTimeServiceQuerying," +
	"OptimizationHints,PaintHolding,PreconnectToSearch,Prerender2,RenderDocument,SpareRendererForSitePerProcess,SpeculationRulesPrefetchFuture,Translate,WebRtcHideLocalIpsWithMdns,site-per-process"

// options are what a browser is started with.
func (f *Fetcher) options(path, dir, spki string) []chromedp.ExecAllocatorOption {
	opts := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path),
		chromedp.UserDataDir(dir),
		chromedp.ModifyCmdFunc(func(cmd *exec.Cmd) {
			group(cmd)
			if !f.NoSandbox {
				notRoot(cmd)
			}
		}),
		chromedp.UserAgent(f.userAgent()),
		chromedp.WindowSize(1280, 1024),
		// Nothing listens there. Each context has its own proxy; what belongs to none
		// gets nowhere, loopback included.
		chromedp.ProxyServer("http://127.0.0.1:9"),
		chromedp.Flag("proxy-bypass-list", "<-loopback>"),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
		chromedp.Flag("ignore-certificate-errors-spki-list", spki),
		chromedp.Flag("disable-features", off),
		chromedp.Flag("enable-features", "NetworkServiceInProcess2"), // it only ever speaks to our proxies
		chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("password-store", "basic"),
		chromedp.Flag("force-webrtc-ip-handling-policy", "disable_non_proxied_udp"), // else WebRTC asks any address by itself
		chromedp.Flag("lang", cmp.Or(f.Lang, "en")),
		chromedp.Flag("no-sandbox", f.NoSandbox), // which chromedp would set for root without a word
	}
	for name := range strings.FieldsSeq(on) {
		opts = append(opts, chromedp.Flag(name, true))
	}
	if smallShm() {
		opts = append(opts, chromedp.Flag("disable-dev-shm-usage", true))
	}
	return opts
}

// smallShm reports whether there is no room for the memory that processes of
// Chrome share, as in a container with 64 MB of it.
func smallShm() bool {
	const name = "/dev/shm"
	if _, err := os.Stat(name); err != nil {
		return false
	}
	free, err := freeBytes(name)
	return err == nil && free < 512<<20
}
