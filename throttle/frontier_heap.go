package throttle

// sortable is what a dueHeap holds: it knows who comes first, and its own place.
type sortable[T any] interface {
	before(T) bool
	setPlace(int)
}

// dueHeap is a heap.Interface whose items know their places, so that one whose instant changes can be moved.
type dueHeap[T sortable[T]] []T

func (d dueHeap[T]) Len() int           { return len(d) }
func (d dueHeap[T]) Less(i, j int) bool { return d[i].before(d[j]) }

func (d dueHeap[T]) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].setPlace(i)
	d[j].setPlace(j)
}

func (d *dueHeap[T]) Push(x any) {
	item := x.(T)
	item.setPlace(len(*d))
	*d = append(*d, item)
}

func (d *dueHeap[T]) Pop() any {
	old := *d
	last := len(old) - 1
	item := old[last]
	var none T
	old[last] = none
	*d = old[:last]
	item.setPlace(nowhere)
	return item
}

// nowhere is the place of what is in no heap.
const nowhere = -1
