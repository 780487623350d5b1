package gentest

// Hostile is a description whose names and texts try to be code.
var Hostile = struct{ File, XML string }{"evil*/ EVIL(); /*.xml", `<isa>
<enum name="#e&quot;; EVIL(); //">
  <value val="0" display="&quot;); EVIL(); p.put(&quot;"/>
  <value val="1" display="\\"/>
  <value val="2" display="*/ EVIL(); /*" name="*/EVIL/*"/>
  <value val="3" display="%s%n??/"/>
</enum>
<bitset name="#instruction" size="16"/>
<bitset name="short" extends="#instruction" displayname="&quot;EVIL&quot;">
  <doc>*/ EVIL(); /* \u2028 EVIL</doc>
  <display>{NAME}&quot;); EVIL(); put(p, &quot;{register}{E}{x*/EVIL}</display>
  <pattern low="12" high="15">0000</pattern>
  <field name="register" low="0" high="3" type="uint"><doc>// \\ EVIL */</doc></field>
  <field name="E" low="4" high="6" type="#e&quot;; EVIL(); //"/>
  <field name="x*/EVIL" low="7" high="9" type="int"/>
  <field name="linux" low="10" high="11" type="uint"/>
</bitset>
<bitset name="*/EVIL" extends="#instruction">
  <display>{linux}\n??/\x41\"</display>
  <pattern low="12" high="15">0001</pattern>
  <override><expr>{linux} == 1 /* EVIL \ */</expr><display>1{defined}</display></override>
  <field name="linux" low="0" high="3" type="bool" display="&quot;; EVIL"/>
  <pattern low="4" high="11">xxxxxxxx</pattern>
</bitset>
<bitset name="if" extends="#instruction">
  <display>\u00e9\u4e2d{:align=12}if</display>
  <pattern low="12" high="15">0010</pattern>
  <field name="rest" low="0" high="3" type="uint"/>
  <field name="rest " low="4" high="7" type="uint"/>
  <assert low="8" high="11">1010</assert>
</bitset>
<bitset name="op" extends="#instruction">
  <display>op</display>
  <pattern low="12" high="15">0011</pattern>
  <field name="none" low="0" high="11" type="uint"/>
</bitset>
</isa>`}

// scattered is a machine whose fields are in pieces: in a word, across its limbs, in an operand, and of more than 64 bits.
const scattered = `<isa name="scattered" strict="true">
<file name="r" type="u32" count="32"/>
<bitset name="#reg" size="6">
  <display>{HIGH}r{N}</display>
  <field name="N" type="uint"><bits low="4" high="5"/><bits low="0" high="2"/></field>
  <field name="HIGH" pos="3" type="bool" display="h"/>
  <reg file="r" index="{N}"/>
</bitset>
<bitset name="#instruction" size="96"/>
<bitset name="mov" extends="#instruction">
  <display>mov {REG}, {IMM}, {WIDE}</display>
  <pattern low="92" high="95">0001</pattern>
  <field name="IMM" type="hex"><bits low="58" high="69"/><bits low="0" high="6"/></field>
  <field name="REG" type="#reg"><bits low="70" high="72"/><bits low="7" high="9"/></field>
  <field name="WIDE" type="hex"><bits low="73" high="91"/><bits low="10" high="57"/></field>
</bitset>
<bitset name="add" extends="#instruction">
  <display>add {OFF} {N}{MIX}</display>
  <pattern low="92" high="95">0010</pattern>
  <field name="OFF" type="int"><bits low="64" high="70"/><bits low="20" high="22"/></field>
  <field name="N" type="uint"><bits low="23" high="24"/><bits low="71" high="91"/><bits low="0" high="1"/></field>
  <derived name="MIX" type="bool" display=" mixed"><expr>({OFF} &amp; 9) == 9 || {N} &gt; 0x1800000</expr></derived>
  <pattern low="2" high="19">xxxxxxxxxxxxxxxxxx</pattern>
  <pattern low="25" high="63">xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx</pattern>
</bitset>
</isa>`
