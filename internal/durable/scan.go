package durable

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// What may be wrong with a log, and what is done about it.
//
// A process that is killed leaves the start of its last write: all frames are
// good but the last, which is cut short. A machine that loses power also leaves
// what was written before the last sync, but of what was written since it may
// keep any part: blocks may be missing, hold zeros or old garbage, and later
// ones may have reached the disk before earlier ones. None of that was ever
// called safe, so all from the first bad frame on is dropped: the tail is torn.
//
// Anything else is damage: bytes that were safe once and are not what they
// were. It is told by the frames that follow. Each says how much of the file
// had been synced when it was written, so a good frame beyond the first bad one
// that calls the bad one's place synced proves that the disk lost what it had
// promised to keep. The log is then refused, for to cut it would silently lose
// records that were acknowledged.
//
//	good good BAD good(synced before BAD) end   torn: an unsynced tail
//	good good BAD good(synced after BAD)        damage at BAD
//	good good BAD garbage or zeros, end         torn
//
// A closed log ends in a mark that calls all before it synced, so in a closed
// log every damaged byte is found, but for those of the mark, which hold
// nothing. What cannot be told apart is damage to the last synced records of a
// log that was not closed and never written to again: they count as a tail.
// Cutting a file short at a frame's end cannot be told from never having
// written the rest.

// window is how much of a log is read back at a time.
const window = 256 << 10

var (
	errSums  = errors.New("checksum of a record does not match, and later ones were written after it was safe")
	errShort = errors.New("unexpected end of file")
)

// scanned is what was found in a log.
type scanned struct {
	salt   uint64
	end    int64 // of the good frames
	marked bool  // the last of them is a mark
}

// scanLog calls replay for every record of a log of the given size. The record
// is valid during the call only. Damage is a *[CorruptError] without a file
// name, other errors are r's or replay's.
func scanLog(r io.ReaderAt, size int64, replay func(rec []byte) error) (scanned, error) {
	if size < headerSize {
		return scanned{}, &CorruptError{Err: errors.New("shorter than a log's header")}
	}
	header := make([]byte, headerSize)
	if _, err := r.ReadAt(header, 0); err != nil {
		return scanned{}, noEOF(err)
	}
	salt, err := readHeader(header)
	if err != nil {
		return scanned{}, &CorruptError{Err: err}
	}
	s := scanned{salt: salt, end: headerSize}
	if err := s.frames(r, size, replay); err != nil || s.end == size {
		return s, err
	}
	lost, err := provesDamage(r, salt, s.end, size)
	if err == nil && lost {
		err = &CorruptError{Offset: s.end, Err: errSums}
	}
	return s, err
}

// frames reads frames up to the first that is not good.
func (s *scanned) frames(r io.ReaderAt, size int64, replay func(rec []byte) error) error {
	br := bufio.NewReaderSize(io.NewSectionReader(r, s.end, size-s.end), window)
	var rec []byte
	for s.end < size {
		f, ok, err := nextFrame(br, &rec, s.salt, s.end, size)
		if err != nil || !ok {
			return err
		}
		s.marked = f.size == 0
		if !s.marked {
			if err := replay(rec); err != nil {
				return err
			}
		}
		s.end += int64(f.head + f.size)
	}
	return nil
}

// nextFrame reads the frame at offset, its record into *rec. It says no when
// there is no good frame.
func nextFrame(br *bufio.Reader, rec *[]byte, salt uint64, offset, size int64) (frame, bool, error) {
	b, err := br.Peek(int(min(maxFrame, size-offset)))
	if err != nil {
		return frame{}, false, noEOF(err)
	}
	f, ok := readFrame(b, salt, offset)
	if !ok || int64(f.size) > size-offset-int64(f.head) {
		return frame{}, false, nil
	}
	if _, err := br.Discard(f.head); err != nil {
		return frame{}, false, noEOF(err)
	}
	if cap(*rec) < f.size {
		*rec = make([]byte, f.size)
	}
	*rec = (*rec)[:f.size]
	if _, err := io.ReadFull(br, *rec); err != nil {
		return frame{}, false, noEOF(err)
	}
	return f, f.holds(*rec), nil
}

// provesDamage looks beyond the bad frame at bad for a good one that was
// written after the bad one's place had been synced.
func provesDamage(r io.ReaderAt, salt uint64, bad, size int64) (bool, error) {
	buf := make([]byte, min(window, size-bad))
	var rec []byte
	for start := bad + 1; start < size; {
		b := buf[:min(int64(len(buf)), size-start)]
		if _, err := r.ReadAt(b, start); err != nil {
			return false, noEOF(err)
		}
		last := start+int64(len(b)) == size
		i := 0
		for i < len(b) && (last || i+maxFrame <= len(b)) {
			at := start + int64(i)
			f, ok := readFrame(b[i:], salt, at)
			if !ok || int64(f.size) > size-at-int64(f.head) {
				i++
				continue
			}
			good, err := readsBack(r, f, at, &rec)
			switch {
			case err != nil:
				return false, err
			case !good:
				i++
			case at-f.lag > bad:
				return true, nil
			default:
				i += f.head + f.size
			}
		}
		start += int64(i)
	}
	return false, nil
}

// readsBack says whether the record of the frame at offset is good.
func readsBack(r io.ReaderAt, f frame, offset int64, rec *[]byte) (bool, error) {
	if cap(*rec) < f.size {
		*rec = make([]byte, f.size)
	}
	b := (*rec)[:f.size]
	if _, err := r.ReadAt(b, offset+int64(f.head)); err != nil && len(b) > 0 { // to read nothing at the end is EOF for some readers
		return false, noEOF(err)
	}
	return f.holds(b), nil
}

// noEOF names what was read from a file that became shorter meanwhile.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("durable: %w", errShort)
	}
	return err
}
