// Search, the box that decodes words, and the button for the theme. The pages can be read without this script.
(function () {
  "use strict";
  var root = document.documentElement, home = document.body.dataset.home || "";
  function element(name, attributes, text) {
    var e = document.createElement(name);
    for (var k in attributes) e.setAttribute(k, attributes[k]);
    if (text !== undefined) e.textContent = text;
    return e;
  }
  function stored(value) { // storage may be forbidden
    try {
      if (value !== undefined) localStorage.setItem("isago-theme", value);
      return localStorage.getItem("isago-theme");
    } catch (e) { return null; }
  }
  var theme = stored();
  if (theme) root.dataset.theme = theme;

  var tools = element("div", {"class": "tools"});
  var toggle = element("button", {type: "button", id: "theme", "aria-label": "Light or dark", title: "Light or dark"}, "◐");
  toggle.addEventListener("click", function () {
    var dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = stored(dark ? "light" : "dark") || (dark ? "light" : "dark");
  });
  function load(file) {
    document.head.appendChild(element("script", {src: home + file}));
  }

  if (document.body.dataset.machine) {
    var box = element("input", {type: "search", id: "search", placeholder: "Search  /", "aria-label": "Search", autocomplete: "off", role: "combobox", "aria-expanded": "false", "aria-controls": "results"});
    var results = element("ul", {"class": "results", id: "results", "aria-label": "Results"});
    tools.append(box, results);
    var entries = null;
    window.isagoSearch = function (list) { entries = list; find(); };
    var rank = function (e, words) {
      var title = e.Title.toLowerCase(), text = null, sum = 0;
      for (var i = 0; i < words.length; i++) {
        var w = words[i], at = title.indexOf(w);
        if (title === w) sum += 100;
        else if (at === 0) sum += 40;
        else if (at > 0) sum += 20;
        else {
          text = text || (e.Kind + " " + e.Text).toLowerCase();
          at = text.indexOf(w);
          if (at < 0) return 0;
          sum += at === 0 || /[^a-z0-9]/.test(text[at - 1]) ? 6 : 2;
        }
      }
      return sum * 4 + (e.Kind === "instruction" ? 3 : e.Kind.indexOf("field") === 0 ? 0 : 2);
    };
    var find = function () {
      results.textContent = "";
      var words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      box.setAttribute("aria-expanded", String(words.length > 0));
      if (!words.length || !entries) return;
      var found = [];
      for (var i = 0; i < entries.length; i++) {
        var n = rank(entries[i], words);
        if (n > 0) found.push([n, i]);
      }
      found.sort(function (a, b) { return b[0] - a[0] || a[1] - b[1]; });
      found.slice(0, 30).forEach(function (f) {
        var e = entries[f[1]], a = element("a", {href: home + e.URL}), text = e.Text, at = text.toLowerCase().indexOf(words[0]);
        if (at > 60) text = "… " + text.slice(text.lastIndexOf(" ", at - 30) + 1);
        a.append(element("b", {}, e.Title), " " + e.Kind, element("small", {}, text.slice(0, 160)));
        var li = element("li", {});
        li.append(a);
        results.append(li);
      });
      if (!found.length) results.append(element("li", {}, "Nothing found."));
    };
    box.addEventListener("focus", function () { if (!entries) load("search.js"); });
    box.addEventListener("input", find);
    var move = function (e, by) {
      var links = Array.from(results.querySelectorAll("a")), at = links.indexOf(document.activeElement) + by;
      e.preventDefault();
      if (at < 0) box.focus(); else if (links[at]) links[at].focus();
    };
    tools.addEventListener("keydown", function (e) {
      if (e.key === "ArrowDown") move(e, 1);
      else if (e.key === "ArrowUp") move(e, -1);
      else if (e.key === "Escape") { box.value = ""; find(); box.focus(); }
      else if (e.key === "Enter" && document.activeElement === box) { var a = results.querySelector("a"); if (a) location.href = a.href; }
    });
    document.addEventListener("keydown", function (e) {
      if (e.key === "/" && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) { e.preventDefault(); box.focus(); }
    });
    document.addEventListener("click", function (e) { if (!tools.contains(e.target)) results.textContent = ""; });
  }
  tools.append(toggle);
  document.querySelector("header").append(tools);

  var section = document.getElementById("decode");
  if (!section) return;
  section.hidden = false;
  var word = document.getElementById("word"), out = document.getElementById("decoded"), tables = null;
  window.isagoDecode = function (t) { tables = t; decode(); };
  function big(hex) { return BigInt("0x" + (hex || "0")); }
  function count(v) { var n = 0; while (v) { n++; v &= v - 1n; } return n; }
  function value(v, f) {
    var x = 0n;
    f.Bits.forEach(function (b) { x = x << BigInt(b[1]) | v >> BigInt(b[0]) & (1n << BigInt(b[1])) - 1n; });
    return x;
  }
  function rootNamed(name) { return tables.roots.find(function (r) { return r.Name === name; }); }
  function matches(r, v, size) {
    var list = (r.Leaves || []).filter(function (l) { return (!size || l.Size === size) && (v & big(l.Mask)) === big(l.Match); });
    return list.sort(function (a, b) { return count(big(b.Mask)) - count(big(a.Mask)); });
  }
  function rows(body, leaf, v, entries, path, depth) {
    (leaf.Fields || []).forEach(function (f) {
      var x = value(v, f), name = path + f.Name, shown = "0x" + x.toString(16), tr = element("tr", {});
      var text = f.Enum && tables.enums[f.Enum] && tables.enums[f.Enum][x.toString()];
      var inner = null, inside = f.Root && rootNamed(f.Root);
      if (f.Table) {
        if (entries.length) { inner = inside && inside.Leaves[0]; x = entries[0]; text = "entry " + shown; }
        else text = "index in " + f.Table;
      } else if (inside) {
        inner = matches(inside, x)[0];
        text = inner ? inner.Name.replace(/^#/, "") + ": " + inner.Text : "no such encoding";
      }
      tr.append(element("td", {style: "padding-left:" + depth + "rem"}), element("td", {}), element("td", {}));
      tr.cells[0].append(element("code", {}, name));
      tr.cells[1].append(element("code", {}, shown));
      tr.cells[2].textContent = (text === undefined ? "" : text) + (f.When ? "  (if " + f.When + ")" : "");
      body.append(tr);
      if (inner && depth < 4) rows(body, inner, x, entries, name + ".", depth + 1);
    });
  }
  function show(leaf, v, entries, note) {
    var p = element("p", {}), body = element("tbody", {}), t = element("table", {});
    p.append(element("a", {href: leaf.Page}, leaf.Name), " ", element("code", {}, leaf.Text));
    if (leaf.When) p.append(element("small", {}, " only if " + leaf.When));
    if (note) p.prepend(note + " ");
    rows(body, leaf, v, entries, "", 0);
    t.append(body);
    out.append(p, t);
  }
  function decode() {
    out.textContent = "";
    var parts = word.value.trim().split("/"), groups = parts[0].trim().split(/[\s,_]+/).map(function (g) { return g.replace(/^0x/i, ""); });
    if (!tables || !parts[0].trim()) return;
    if (!groups.concat(parts.slice(1)).every(function (g) { return /^(0x)?[0-9a-f]{0,64}$/i.test(g.trim()); })) {
      out.append(element("p", {}, "Expected hexadecimal digits, and table entries after a slash."));
      return;
    }
    if (groups.length > 1) { // words as programs store them
      groups = groups.map(function (g) { return g.padStart(8, "0"); });
      if (!tables.high) groups.reverse();
    }
    var hex = groups.join(""), v = big(hex), entries = parts.slice(1).map(function (e) { return big(e.trim().replace(/^0x/i, "")); });
    var size = hex.length * 4, found = [], nearest = null;
    tables.roots.filter(function (r) { return r.Instruction; }).forEach(function (r) {
      var sizes = {};
      (r.Leaves || []).forEach(function (l) { sizes[l.Size] = true; });
      matches(r, v, sizes[size] ? size : 0).forEach(function (l) { if (v >> BigInt(l.Size) === 0n) found.push(l); });
      (r.Leaves || []).forEach(function (l) {
        var wrong = count((v ^ big(l.Match)) & big(l.Mask)) + (sizes[size] && l.Size !== size ? 1000 : 0);
        if (!nearest || wrong < nearest.wrong) nearest = {wrong: wrong, leaf: l};
      });
    });
    found.slice(0, 4).forEach(function (l) { show(l, v, entries, ""); });
    if (!found.length && nearest) {
      var differ = (v ^ big(nearest.leaf.Match)) & big(nearest.leaf.Mask), bits = [];
      for (var i = 0; i < nearest.leaf.Size; i++) if (differ >> BigInt(i) & 1n) bits.push(i);
      show(nearest.leaf, v, entries, "No instruction. The nearest one differs in bit" + (bits.length > 1 ? "s " : " ") + bits.reverse().join(", ") + ":");
    }
  }
  var given = /^#word=(.*)/.exec(location.hash); // a link to a word
  if (given) {
    try { word.value = decodeURIComponent(given[1]); } catch (e) { word.value = given[1]; }
    load("decode.js");
  }
  word.addEventListener("focus", function () { if (!tables) load("decode.js"); });
  word.addEventListener("input", function () { if (!tables) load("decode.js"); decode(); });
})();
