package store

import (
	"slices"
	"strconv"
	"strings"

	"nexus/bus"
)

// A walk reads a list from one end, along index ranges that are in the order of
// its key. Whatever else a row must satisfy is looked at row by row, and no more
// than so many rows are looked at: a list that has little of what is wanted
// takes several pages, but none takes long.
type walk struct {
	table, key string
	ranges     []indexRange
	filters    []string // conditions on the table, as t
	args       []any
	ranged     int // how many of the arguments the ranges need
	ascending  bool
}

// An indexRange is a condition that an index of a table satisfies in the order of
// the walk's key.
type indexRange struct{ table, where, order string }

// arg is an argument as the text of a statement names it.
func (w *walk) arg(v any) string {
	w.args = append(w.args, v)
	return "$" + strconv.Itoa(len(w.args))
}

// along adds an index range. All ranges are walked together, and all of them are
// added before the first filter.
func (w *walk) along(table string, where ...string) {
	w.alongIn(w.key+w.order(), table, where...)
}

// alongIn adds an index range that is known to be in the order of the key, though
// it is asked for in other words.
func (w *walk) alongIn(order, table string, where ...string) {
	w.ranges = append(w.ranges, indexRange{table, strings.Join(where, " AND "), order})
	w.ranged = len(w.args)
}

// filter adds a condition on the table, as t.
func (w *walk) filter(where string) { w.filters = append(w.filters, where) }

// worded is a text with the arguments of the walk and its own.
func worded(args []any, text func(arg func(any) string) string) (string, []any) {
	own := walk{args: slices.Clone(args)}
	sql := text(own.arg)
	return sql, own.args
}

func (w *walk) order() string {
	if w.ascending {
		return ""
	}
	return " DESC"
}

// candidates selects the keys of the first rows of the ranges.
func (w *walk) candidates(look string) string {
	parts := make([]string, len(w.ranges))
	for i, r := range w.ranges {
		where := ""
		if r.where != "" {
			where = " WHERE " + r.where
		}
		parts[i] = "SELECT " + w.key + " AS place FROM " + r.table + where + " ORDER BY " + r.order + " LIMIT " + look
	}
	if len(parts) == 1 {
		return parts[0]
	}
	for i, p := range parts {
		parts[i] = "SELECT place FROM (" + p + ") AS range_" + strconv.Itoa(i)
	}
	return strings.Join(parts, " UNION ") + " ORDER BY place" + w.order() + " LIMIT " + look
}

// matched is when a row of the list is that of a candidate.
func (w *walk) matched() string {
	return strings.Join(append([]string{"t." + w.key + " = c.place"}, w.filters...), " AND ")
}

// from is the rows of the list among the candidates. CROSS keeps SQLite to
// looking them up, one by one.
func (w *walk) from(look string) string {
	return " FROM (" + w.candidates(look) + ") AS c CROSS JOIN " + w.table + " t WHERE " + w.matched()
}

// walked is a page of a walk. key is the place of a row. Most lists are full of
// what is wanted, so a short look comes first.
func walked[R any, K string | int64](t *Tx, w *walk, columns string, p bus.Stretch, scan func(row) (R, error), key func(R) K) (page bus.Walked[R, K], err error) {
	need := p.Offset + p.Limit + 1
	looks := []int{need}
	if len(w.filters) > 0 {
		looks = slices.Compact([]int{min(8*need, p.Look), max(need, p.Look)})
	}
	for _, look := range looks {
		sql, a := worded(w.args, func(arg func(any) string) string {
			return "SELECT " + columns + w.from(arg(look)) + " ORDER BY c.place" + w.order() + " LIMIT " + arg(p.Limit+1) + " OFFSET " + arg(p.Offset)
		})
		rows, err := list(t, sql, a, scan)
		if err != nil {
			return page, err
		}
		if len(rows) > p.Limit {
			return bus.Walked[R, K]{Rows: rows[:p.Limit], Last: key(rows[p.Limit-1]), More: true}, nil
		}
		if len(w.filters) == 0 {
			return bus.Walked[R, K]{Rows: rows}, nil
		}
		n, last, err := looked[K](t, w, look)
		if err != nil || n < look {
			return bus.Walked[R, K]{Rows: rows}, err
		}
		page = bus.Walked[R, K]{Rows: rows, Last: last, More: true}
	}
	return page, nil
}

// looked tells how many candidates a look has, and the place of the last.
func looked[K string | int64](t *Tx, w *walk, look int) (n int, last K, err error) {
	end := "min"
	if w.ascending {
		end = "max"
	}
	sql, a := worded(w.args[:w.ranged], func(arg func(any) string) string {
		return "SELECT count(*), " + end + "(c.place) FROM (" + w.candidates(arg(look)) + ") AS c"
	})
	_, err = t.one(sql, a, &n, &last)
	return n, last, err
}

// counted counts the rows of a list among the first so many candidates: among
// far where the candidates are the list and only an index is read, among near
// where they must be merged or looked at. It tells whether there may be more.
func counted(t *Tx, w *walk, far, near int) (n int, more bool, err error) {
	look := far
	if len(w.filters) > 0 || len(w.ranges) > 1 {
		look = near
	}
	if len(w.filters) == 0 {
		n, _, err = looked[string](t, w, look)
		return n, n == look, err
	}
	sql, a := worded(w.args, func(arg func(any) string) string {
		return "SELECT count(*), count(t." + w.key + ") FROM (" + w.candidates(arg(look)) + ") AS c LEFT JOIN " + w.table + " t ON " + w.matched()
	})
	var of int
	_, err = t.one(sql, a, &of, &n)
	return n, of == look, err
}
