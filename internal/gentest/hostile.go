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
