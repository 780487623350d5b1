package prove

func (m *machine) texts() {}
