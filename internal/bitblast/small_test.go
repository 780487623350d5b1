package bitblast

// small is a machine on whose few registers, bytes and entries accesses often meet.
const small = `<isa strict="true">
<file name="r" type="u32" count="6" init="0"/>
<file name="w" type="u8x2" count="5" outside="wrap" init="0"/>
<file name="z" type="s16" count="3" outside="7" init="0"/>
<file name="k" type="u32" count="3" scope="wave" init="0"/>
<register name="m" type="u64" scope="wave" init="exists"/>
<register name="once" type="u8" scope="instruction" init="3"/>
<memory name="s" size="11" scope="block"/>
<memory name="l" size="11" scope="lane"/>
<stack name="a" depth="3" full="overwrite" empty="none"><slot name="x" type="u8"/><slot name="y" type="bool"/></stack>
<stack name="b" depth="2" full="trap" empty="trap" scope="wave"><slot name="x" type="u64"/></stack>
<rom name="t" type="s16">-5 7 9 -32768 0</rom>
<fetch unit="8" scope="wave"/>
<bitset name="#instruction" size="8"/>
<bitset name="files" extends="#instruction"><display>files {N}</display><pattern low="5" high="7">000</pattern><field name="N" low="0" high="4" type="uint"/>
<semantics><![CDATA[
	if (r[0][0:0] == 1) { w[r[1]].x = trunc(r[2], 8); }
	w[{N}].x = w[r[3]].x + w[{N}].y;
	if (r[1][1:1] == 0) { z[s32(r[0])] = s16(trunc(r[3], 16)); }
	r[4] = zext(w[r[2]].x, 32);
	r[5] = zext(u16(z[r[1]]), 32) + zext(u16(t[r[2]]), 32);
	once = once + trunc(r[0], 8);
	if (w[4].x == 3 && z[1] == 9 && once == 5) { r[0] = 1; }
	z[2] = z[r[5][1:0]] / 3;
]]></semantics></bitset>
<bitset name="memories" extends="#instruction"><display>memories {N}</display><pattern low="5" high="7">001</pattern><field name="N" low="0" high="4" type="uint"/>
<semantics><![CDATA[
	let p = r[0] & 15;
	let q = r[1] & 15;
	s.u32[p] = r[2];
	if (r[3][0:0] == 1) { s.u16[q] = trunc(r[3], 16); }
	s.u8[p + 1] = trunc(r[4], 8);
	r[4] = s.u32[q];
	l.u64[p + {N}] = concat(r[2], r[3]);
	if (s.u16[p] == 0x1234 && l.u8[q] == 5) { r[5] = 1; }
	l.u16[q] = s.u16[q + 1];
	r[2] = zext(l.u16[p + 2], 32) + l.u32[q];
	if (r[2] == 77 && r[4] != 77) { r[5] = 2; }
]]></semantics></bitset>
<bitset name="stacks" extends="#instruction"><display>stacks {N}</display><pattern low="5" high="7">010</pattern><field name="N" low="0" high="4" type="uint"/>
<semantics><![CDATA[
	if (r[0][0:0] == 1) { push a { x = trunc(r[1], 8), y = r[2] == 0 }; }
	if (top(a).x == 9) { r[3] = 1; }
	if (r[0][1:1] == 1) { pop a; }
	if (r[0][2:2] == 1) { pop a; }
	if (top(a).y) { push a { x = top(a).x + 1, y = true }; }
	push a { x = trunc(r[3], 8), y = r[0][3:3] == 1 };
	if (r[0][4:4] == 1) { pop a; }
	r[4] = zext(top(a).x, 32);
	if (depth(a) == 2 && top(a).x == 200) { r[3] = 3; }
]]></semantics></bitset>
<bitset name="lanes" extends="#instruction"><display>lanes {N}</display><pattern low="5" high="7">011</pattern><field name="N" low="0" high="4" type="uint"/>
<semantics><![CDATA[
	r[1] = from(r[2], r[3] & 3);
	if (r[1] == 4 && lane == 2) { r[4] = trunc(ballot(r[0] == 2), 32); }
	r[0] = r[{N} % 6] + from(r[5], lane + 1);
]]></semantics></bitset>
<bitset name="masks" extends="#instruction"><display>masks {N}</display><pattern low="5" high="7">101</pattern><field name="N" low="0" high="4" type="uint"/>
<semantics scope="wave"><![CDATA[
	if (any(r[0] == 1) && !all(r[0] == 1)) { k[0] = k[1] + 1; }
	if (all(r[0] != 7)) { k[2] = 1; }
	lanes (m) { r[5] = k[2] + 1; if (r[1] == 3) { l.u8[0] = 1; } }
	if (any(r[2] == 5)) { push b { x = ballot(r[1] == 3) }; }
	if (top(b).x == 3) { pop b; k[1] = 5; }
	if (empty(b)) { push b { x = m }; }
	m = top(b).x;
]]></semantics></bitset>
<bitset name="turns" extends="#instruction"><display>turns {N}</display><pattern low="5" high="7">100</pattern><field name="N" low="0" high="4" type="uint"/>
<semantics><![CDATA[
	var v: u32 = 7;
	if (r[0] != 3) { atomic { v = s.u32[r[1] & 4]; if (v[0:0] == 0) { s.u32[r[1] & 4] = v + r[2]; } } }
	if (v == 100) { r[4] = 1; }
	r[3] = v;
	s.u8[r[2] & 7] = trunc(r[0], 8);
	if (s.u8[r[0] & 7] == 6) { r[4] = 2; }
]]></semantics></bitset>
</isa>`
