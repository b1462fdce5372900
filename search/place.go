package search

import "slices"

// mostPlaced is how many documents are read to see where their words stand, and
// batchPlaced how many at a time.
const mostPlaced, batchPlaced = 50_000, 200

// place is the filter for what is found by words. Where it matters where they
// stand, the documents that have them are read: an index holds long ones in
// pieces, and PostgreSQL's knows neither NEAR nor the beginning of a text.
func (f *finding) place(tx Tx) (filter Filter, cut bool, err error) {
	filter, where := f.filter, f.query.Where
	filter.Where = where
	if where == nil || !where.placed() {
		return filter, false, nil
	}
	rough := where.rough()
	filter.Where = &rough
	candidates, err := tx.NewestIndexed(filter, mostPlaced+1)
	if err != nil {
		return filter, false, err
	}
	if cut = len(candidates) > mostPlaced; cut {
		candidates = candidates[:mostPlaced]
	}
	filter.Where, filter.Documents = nil, []int64{}
	for some := range slices.Chunk(candidates, batchPlaced) {
		fitting, err := f.fitting(tx, some)
		if err != nil {
			return filter, cut, err
		}
		filter.Documents = append(filter.Documents, fitting...)
	}
	return filter, cut, nil
}

// fitting are those of some documents that fit the query, as their texts tell.
func (f *finding) fitting(tx Tx, some []int64) (numbers []int64, err error) {
	heads, err := tx.IndexedHeads(some)
	if err != nil {
		return nil, err
	}
	texts, err := f.texts(tx, heads)
	if err != nil {
		return nil, err
	}
	for _, h := range heads {
		d, ok := texts[[2]string{h.Kind, h.ID}]
		if ok && f.query.Where.fits(Words(d.passage(Span{End: len(d.Text)}))) {
			numbers = append(numbers, h.No)
		}
	}
	return numbers, nil
}
