package jobs

func (o *Owned) sweep() {}
