package sat

// order is a heap of the variables to decide. The variable that was most active in recent conflicts is
// on top.
type order struct {
	heap     []int32
	place    []int32 // by variable: the position in the heap plus 1, or 0 if it is not in the heap
	activity []float64
	step     float64
	// chosen are the variables to decide, or nil for all. ours marks them.
	chosen []int
	ours   []bool
}

func (o *order) grow() {
	o.place, o.activity = append(o.place, 0), append(o.activity, 0)
	o.ours = append(o.ours, o.chosen == nil)
}

// focus sets the variables to decide.
func (o *order) focus(vars []int) {
	if o.chosen == nil {
		clear(o.ours)
	}
	for _, v := range o.chosen {
		o.ours[v] = false
	}
	o.chosen = append(make([]int, 0, len(vars)+1), vars...)
	for _, v := range vars {
		o.ours[v] = true
	}
}

// refill resets the heap to all variables that Solve decides.
func (o *order) refill() {
	for _, v := range o.heap {
		o.place[v] = 0
	}
	o.heap = o.heap[:0]
	if o.chosen == nil {
		for v := range o.ours {
			o.push(v)
		}
		return
	}
	for _, v := range o.chosen {
		o.push(v)
	}
}

// push adds a variable unless it is excluded or already present.
func (o *order) push(v int) {
	if !o.ours[v] || o.place[v] > 0 {
		return
	}
	o.heap = append(o.heap, int32(v))
	o.up(len(o.heap) - 1)
}

// pop removes the top variable. It returns -1 if the heap is empty.
func (o *order) pop() int {
	if len(o.heap) == 0 {
		return -1
	}
	top, last := o.heap[0], o.heap[len(o.heap)-1]
	o.heap = o.heap[:len(o.heap)-1]
	o.place[top] = 0
	if len(o.heap) > 0 {
		o.heap[0] = last
		o.down()
	}
	return int(top)
}

func (o *order) up(i int) {
	v := o.heap[i]
	for i > 0 && o.activity[o.heap[(i-1)/2]] < o.activity[v] {
		o.put(i, o.heap[(i-1)/2])
		i = (i - 1) / 2
	}
	o.put(i, v)
}

func (o *order) down() {
	v, i := o.heap[0], 0
	for 2*i+1 < len(o.heap) {
		child := 2*i + 1
		if child+1 < len(o.heap) && o.activity[o.heap[child+1]] > o.activity[o.heap[child]] {
			child++
		}
		if o.activity[o.heap[child]] <= o.activity[v] {
			break
		}
		o.put(i, o.heap[child])
		i = child
	}
	o.put(i, v)
}

func (o *order) put(i int, v int32) {
	o.heap[i] = v
	o.place[v] = int32(i + 1)
}

// bump increases the activity of a variable.
func (o *order) bump(v int) {
	if o.step == 0 {
		o.step = 1
	}
	if o.activity[v] += o.step; o.activity[v] > 1e100 {
		for i := range o.activity {
			o.activity[i] *= 1e-100
		}
		o.step *= 1e-100
	}
	if o.place[v] > 0 {
		o.up(int(o.place[v]) - 1)
	}
}

// decay reduces the weight of past conflicts relative to the weight of future ones.
func (o *order) decay() { o.step *= 1 / 0.95 }
