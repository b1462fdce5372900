package store

import "context"

// ViewLong is View in the lane for reads that may take long; see [DB.ViewLong].
func (s Of[T]) ViewLong(ctx context.Context, fn func(T) error) error {
	return s.DB.ViewLong(ctx, func(tx *Tx) error { return fn(any(tx).(T)) })
}
