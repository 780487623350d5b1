package sem

import "github.com/isago/isago/diag"

type exprKind uint8

const (
	eInt exprKind = iota
	eReal
	eBool
	eName
	eField // {NAME}
	eEnum  // #enum.value
	eUnary
	eBinary
	eCond
	eCall
	eIndex // x[y]
	eSlice // x[y:z]
	eDot   // x.name
	eComp  // x.[y]
	eTuple
	eWhere // x.where(y)
)

// expr is a node of an expression.
type expr struct {
	kind    exprKind
	op      string    // of operators
	code    Op        // what an operator does
	known   intrinsic // what a call is of, if no description has to say it
	typ     *Type     // what a call makes, if it is named like a type
	name    string
	n       uint64
	f       float64
	x, y, z *expr
	args    []*expr
	span    diag.Span
}

type stmtKind uint8

const (
	sLet stmtKind = iota
	sVar
	sAssign
	sIf
	sIfLet
	sFor
	sPush
	sPop
	sEnd
	sTrap
	sUnknown
	sHazard
	sBarrier
	sTogether
	sLanes
	sAtomic
	sReturn
	sExpr
	sInner
	sRun
)

// stmt is a statement.
type stmt struct {
	kind   stmtKind
	names  []string
	typ    *typeExpr
	name   string // a stack, a variable of a loop, a root, a text
	x, y   *expr
	how    uint64 // of a barrier: Arrives, Waits
	fields []setting
	body   []*stmt
	other  []*stmt // else
	span   diag.Span
}

// setting is name = expr of a push and of a run.
type setting struct {
	name string
	x    *expr
	span diag.Span
}

// typeExpr is a type as it is written: the width may be an expression.
type typeExpr struct {
	t     Type
	width *expr
	elems []*typeExpr
	enum  string // the name of an enum
	span  diag.Span
}

// param is a parameter of a function.
type param struct {
	name string
	typ  *typeExpr
}

// head is the name attribute of a function or of a service.
type head struct {
	name   string
	params []param
	result *typeExpr // nil where it returns nothing
	// generic are the names of the widths, in the order in which they appear.
	generic []string
}
