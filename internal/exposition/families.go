package exposition

// families says what each metric means. Names that end in _total are counters, those of
// histograms stand in histograms, all others are gauges.
var families = map[string]string{
	// crawler/monitor
	"quarry_pages_total":       "Pages that were put.",
	"quarry_page_bytes_total":  "Bytes of the bodies of pages that were put, as they came over the wire.",
	"quarry_page_seconds":      "How long it took to fetch the pages that were put.",
	"quarry_skipped_total":     "URLs that are no pages to put, by reason.",
	"quarry_retries_total":     "Visits that went wrong and are tried again.",
	"quarry_failed_total":      "URLs that went wrong for good, by kind of error.",
	"quarry_urls":              "URLs that the frontier holds, by state.",
	"quarry_hosts":             "Hosts with something queued or leased.",
	"quarry_hosts_in_state":    "Hosts by state.",
	"quarry_workers":           "Workers by phase of their visit.",
	"quarry_paused":            "1 while the crawl is paused, otherwise 0.",
	"quarry_crawl_running":     "1 while a run is under way, otherwise 0.",
	"quarry_last_page_seconds": "Unix time at which the last page was put; 0 before the first.",

	// crawler/middleware
	"quarry_fetches_total":          "Fetches, robots.txt included, by status or kind of error.",
	"quarry_fetch_bytes_total":      "Bytes of bodies as they came over the wire.",
	"quarry_fetch_body_bytes_total": "Bytes of bodies, decoded.",
	"quarry_fetch_seconds":          "How long fetches took that had an answer.",
	"quarry_fetches_running":        "Fetches under way.",

	// crawler/chrome
	"quarry_chrome_browsers_started_total": "Browsers that were started.",
	"quarry_chrome_pages_total":            "Pages that a browser was asked for, by what became of them.",
	"quarry_chrome_pages_running":          "Pages that a browser is showing.",
	"quarry_chrome_memory_bytes":           "Memory of all processes of the browser.",

	// index/serve
	"quarry_searches_total":                "Searches, by what became of them: ok, partial (cut off by patience), bad (not to be answered), busy or error.",
	"quarry_search_seconds":                "How long searches took that were answered.",
	"quarry_searches_running":              "Searches under way.",
	"quarry_suggestions_total":             "Completions that were asked for.",
	"quarry_index_documents":               "Documents that can be found.",
	"quarry_index_deleted_documents":       "Documents that are deleted and not merged away yet.",
	"quarry_index_segments":                "Segments of the index.",
	"quarry_index_bytes":                   "Bytes of the files of the index.",
	"quarry_index_generation":              "The generation of the index, which grows with each commit.",
	"quarry_index_buffered_documents":      "Documents that the writer holds in memory.",
	"quarry_index_documents_added_total":   "Documents that the writer took.",
	"quarry_index_documents_deleted_total": "Documents that the writer was told to delete, or that were replaced.",
	"quarry_index_flushes_total":           "Segments that the writer wrote out of memory.",
	"quarry_index_merges_total":            "Merges of segments.",

	// of every program
	"quarry_disk_free_bytes": "Bytes that this program may still write to the disk of a folder.",
	"quarry_disk_size_bytes": "Size of the disk of a folder.",

	// Those of the process and of Go that are not left out.
	"process_cpu_seconds_total":              "Processor time of this process.",
	"process_resident_memory_bytes":          "Memory of this process that is resident, mapped files included.",
	"process_resident_memory_anon_bytes":     "Memory of this process that is resident, without mapped files.",
	"process_virtual_memory_bytes":           "Virtual memory of this process.",
	"process_start_time_seconds":             "Unix time at which this process started.",
	"process_open_fds":                       "Files and sockets that are open.",
	"process_max_fds":                        "Files and sockets that may be open.",
	"process_num_threads":                    "Threads of this process.",
	"process_io_storage_read_bytes_total":    "Bytes that were read from disks.",
	"process_io_storage_written_bytes_total": "Bytes that were written to disks.",
	"go_goroutines":                          "Goroutines.",
	"go_memstats_heap_alloc_bytes":           "Bytes of objects on the heap.",
	"go_memstats_next_gc_bytes":              "Size of the heap at which the garbage collector runs next.",
	"go_info":                                "Version of Go, as a label.",
}

// histograms are the families of histograms.
var histograms = map[string]bool{"quarry_page_seconds": true, "quarry_fetch_seconds": true, "quarry_search_seconds": true}
