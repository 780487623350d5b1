#include "textflag.h"

// func widen(to *plane, from *[Lanes]uint32)
TEXT ·widen(SB), NOSPLIT, $0-16
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	PXOR X0, X0
	MOVQ $8, CX // 8 lanes in each round

widenRound:
	MOVOU     (SI), X1
	MOVOU     16(SI), X3
	MOVO      X1, X2
	MOVO      X3, X4
	PUNPCKLLQ X0, X1
	PUNPCKHLQ X0, X2
	PUNPCKLLQ X0, X3
	PUNPCKHLQ X0, X4
	MOVOU     X1, (DI)
	MOVOU     X2, 16(DI)
	MOVOU     X3, 32(DI)
	MOVOU     X4, 48(DI)
	ADDQ      $32, SI
	ADDQ      $64, DI
	DECQ      CX
	JNZ       widenRound
	RET

// func truncate(to *[Lanes]uint32, from *plane) (nan bool)
TEXT ·truncate(SB), NOSPLIT, $0-17
	MOVQ    to+0(FP), DI
	MOVQ    from+8(FP), SI
	PCMPEQL X5, X5
	MOVO    X5, X6
	PSRLL   $1, X5  // 0x7fffffff, all bits but the sign
	PSLLL   $24, X6
	PSRLL   $1, X6  // 0x7f800000, infinity
	PXOR    X7, X7  // gathers whether a value is larger
	MOVQ    $8, CX  // 8 lanes in each round

truncateRound:
	MOVOU   (SI), X1
	MOVOU   16(SI), X2
	MOVOU   32(SI), X3
	MOVOU   48(SI), X4
	SHUFPS  $0x88, X2, X1
	SHUFPS  $0x88, X4, X3
	MOVOU   X1, (DI)
	MOVOU   X3, 16(DI)
	PAND    X5, X1
	PAND    X5, X3
	PCMPGTL X6, X1
	PCMPGTL X6, X3
	POR     X1, X7
	POR     X3, X7
	ADDQ    $64, SI
	ADDQ    $32, DI
	DECQ    CX
	JNZ     truncateRound
	PMOVMSKB X7, AX
	TESTL   AX, AX
	SETNE   nan+16(FP)
	RET
