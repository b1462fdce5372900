package store

// Messages are bound in volumes, so that the lists of what an agent wrote and got
// stay cheap to write: SQLite notes a message on the few pages of the newest
// volume, and who reads a list leafs through the volumes. PostgreSQL has one
// volume: it writes its pages in the background.

// volumeOf selects the volume that a message belongs to, or would.
func volumeOf(id string) string {
	return `coalesce((SELECT volume FROM message_volumes WHERE first_id <= ` + id + ` ORDER BY volume DESC LIMIT 1), 0)`
}

// leafed is what a list reads, newest first, that goes along an agent's messages
// or deliveries: the table, to which it gives a short name, and the order. Where
// the list is of ids above one or below one, it is told where to leaf.
func (d *dialect) leafed(table, as, above, below string) (from, order string) {
	from, order = table+" "+as, as+".message_id DESC"
	if !d.bound {
		return from, order
	}
	from = "message_volumes v CROSS JOIN " + from + " ON " + as + ".volume = v.volume"
	if above != "" {
		from += " AND v.volume >= " + volumeOf(above)
	}
	if below != "" {
		from += " AND v.first_id < " + below
	}
	return from, "v.volume DESC, " + order
}
