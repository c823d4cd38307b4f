package segment

import "context"

// MergeGathering is Merge where so many bytes are gathered at a time.
func MergeGathering(ctx context.Context, w *Writer, sources []Source, o Order, most int) ([][]uint32, error) {
	return (&merger{ctx: ctx, w: w, sources: sources, most: most}).merge(o)
}
