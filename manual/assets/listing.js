// A register lights up wherever it is used. The page can be read without this script.
(function () {
  "use strict";
  var chosen = "";
  function light(e) {
    var r = e && e.dataset.r || "";
    chosen = r === chosen ? "" : r;
    document.querySelectorAll(".op[data-r]").forEach(function (o) {
      o.classList.toggle("lit", o.dataset.r === chosen);
      o.setAttribute("aria-pressed", String(o.dataset.r === chosen));
    });
  }
  document.addEventListener("click", function (e) {
    var o = e.target.closest(".op[data-r]");
    if (o || !e.target.closest("a, input, label")) light(o);
  });
  document.addEventListener("keydown", function (e) {
    var o = e.target.closest && e.target.closest(".op[data-r]");
    if (o && (e.key === "Enter" || e.key === " ")) { e.preventDefault(); light(o); }
    if (e.key === "Escape") light(null);
  });
})();
