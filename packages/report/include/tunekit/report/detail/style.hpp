// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Colours, type and the few lines of script of a page.

#include <string_view>

namespace tunekit::report::detail {

// Blue and orange differ for every kind of colour vision; what failed also has a shape of its own. Text and points have
// a contrast of 4.5 or more on their ground in both schemes.
inline constexpr std::string_view page_colours =
    R"css(:root{--paper:#fbfaf7;--card:#ffffff;--ink:#1c2024;--muted:#5b636b;--line:#dcdfe2;--ground:#eceeef;--accent:#0b5c9e;--soft:#2b76b3;--build:#8a6d3b;--bad:#b8480c;--on:#ffffff}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){--paper:#14171a;--card:#1b1f23;--ink:#e9ecee;--muted:#a4adb5;--line:#343a40;--ground:#2a3036;--accent:#6fb7f2;--soft:#6aa6d8;--build:#c9a86a;--bad:#ff9a5c;--on:#0c1116}}
:root[data-theme=dark]{--paper:#14171a;--card:#1b1f23;--ink:#e9ecee;--muted:#a4adb5;--line:#343a40;--ground:#2a3036;--accent:#6fb7f2;--soft:#6aa6d8;--build:#c9a86a;--bad:#ff9a5c;--on:#0c1116}
)css";

inline constexpr std::string_view svg_colours =
    R"css(svg{--paper:#fbfaf7;--card:#ffffff;--ink:#1c2024;--muted:#5b636b;--line:#dcdfe2;--ground:#eceeef;--accent:#0b5c9e;--soft:#2b76b3;--build:#8a6d3b;--bad:#b8480c;--on:#ffffff;background:var(--card);font-family:system-ui,sans-serif}
@media (prefers-color-scheme:dark){svg{--paper:#14171a;--card:#1b1f23;--ink:#e9ecee;--muted:#a4adb5;--line:#343a40;--ground:#2a3036;--accent:#6fb7f2;--soft:#6aa6d8;--build:#c9a86a;--bad:#ff9a5c;--on:#0c1116}}
)css";

inline constexpr std::string_view chart_style =
    R"css(.chart text{font-size:12px;fill:var(--ink);font-variant-numeric:tabular-nums}
.chart .tick,.chart .axis{fill:var(--muted)}.chart .bad-text{fill:var(--bad)}.chart .label{font-weight:650;fill:var(--accent);font-size:13px}
.chart path{fill:none;stroke-linecap:round}.chart .grid{stroke:var(--line);stroke-width:1}
.chart .dot{stroke:var(--soft);stroke-width:4}.chart .faint{stroke-width:3}
.chart .other{stroke:var(--muted);stroke-width:1.6;stroke-linejoin:round}
.chart .best{stroke:var(--accent);stroke-width:2;stroke-linejoin:round}.chart .mark{fill:var(--card);stroke:var(--accent);stroke-width:2}
.chart .cross{stroke:var(--bad);stroke-width:1.2}.chart .hollow{stroke:var(--muted);stroke-width:1}
.chart .median{stroke:var(--ink);stroke-width:2.2}.chart .ground{fill:var(--ground)}
.chart .rug{stroke:var(--soft);stroke-width:1.2;stroke-linecap:butt}.chart .rug-bad{stroke:var(--bad);stroke-width:1.2;stroke-linecap:butt}
.chart .bar{fill:var(--accent)}.chart .thin{fill:var(--soft)}.chart .build{fill:var(--build)}.chart .bad{fill:var(--bad)}.chart .whisker{stroke:var(--ink);stroke-width:1.4}
.chart .waiting{fill:var(--card);stroke:var(--muted);stroke-width:1}.chart .cell{fill:var(--accent)}.chart .winner{stroke:var(--ink);stroke-width:2.5}.chart .cell-text{font-size:11px}.chart .on{fill:var(--on)}
)css";

inline constexpr std::string_view page_style = R"css(*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
header,main,footer{max-width:60rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2rem}main{padding-bottom:2rem}
.bar-top{display:flex;justify-content:space-between;align-items:center;min-height:2.2rem}
.kicker{margin:0;color:var(--muted);font-size:.8rem;letter-spacing:.09em;text-transform:uppercase}
h1,h2,h3,h4,p,dd,th,td,li,summary{overflow-wrap:anywhere}
h1{font-size:clamp(1.5rem,4vw,2.1rem);line-height:1.2;margin:.2rem 0 .6rem;font-weight:680;letter-spacing:-.012em}
h2{font-size:1.35rem;line-height:1.25;margin:3rem 0 .8rem;font-weight:660;letter-spacing:-.008em}
h3.s{font-size:1.12rem;margin:2.2rem 0 .7rem;font-weight:660}
.f{font-size:1rem;line-height:1.4;margin:0;font-weight:650}section>.f{margin:1.2rem 0 .5rem}.c{font-size:.88rem;line-height:1.4;margin:0 0 .3rem;font-weight:600;font-family:ui-monospace,SFMono-Regular,Menlo,monospace}
.facts{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.4rem;margin:0;padding:0;color:var(--muted);font-size:.9rem}
#verdict{margin-top:1.6rem;padding:1.6rem 1.6rem 1.3rem;background:var(--card);border:1px solid var(--line);border-radius:10px}
#verdict:focus{outline:none}
.headline{margin:0 0 .5rem;font-size:clamp(1.35rem,3.4vw,1.8rem);font-weight:680}
.lead{font-size:1.1rem;margin:0 0 .8rem}.plain{list-style:none;margin:0;padding:0}.plain li{margin:.35rem 0;max-width:46rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.2rem,1fr));gap:.8rem 1.2rem;margin:1.4rem 0 0;padding-top:1.1rem;border-top:1px solid var(--line)}
.tiles div{display:flex;flex-direction:column-reverse;justify-content:flex-end}.tiles dt{color:var(--muted);font-size:.85rem}.tiles dd{margin:0;font-size:1.3rem;font-weight:640;font-variant-numeric:tabular-nums}
.note{color:var(--muted);font-size:.92rem;max-width:46rem}
.problem{border-left:4px solid var(--bad);padding:.6rem 1rem;background:var(--card);margin:1.2rem 0 0}
figure{margin:0 0 1.6rem;padding:1.1rem 1.2rem;background:var(--card);border:1px solid var(--line);border-radius:10px;break-inside:avoid}
figcaption p{margin:.15rem 0 .8rem;color:var(--muted);font-size:.92rem;max-width:46rem}
.chart{display:block;width:100%;height:auto}.narrow{display:none}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,15.5rem),1fr));gap:1.2rem 1.4rem}.grid.two{grid-template-columns:repeat(auto-fill,minmax(min(100%,22rem),1fr))}
.cell-of{min-width:0;break-inside:avoid}
.scroll{overflow-x:auto;scrollbar-width:thin;margin:0 0 1.4rem;background:var(--card);border:1px solid var(--line);border-radius:10px}
table{border-collapse:collapse;width:100%;font-size:.92rem}caption{text-align:left;padding:.7rem .9rem .2rem;color:var(--muted);font-size:.88rem}
th,td{padding:.42rem .9rem;text-align:left;vertical-align:top;border-top:1px solid var(--line)}thead th{border-top:0;color:var(--muted);font-weight:600;font-size:.85rem}
.hint{margin:-1.1rem 0 1.4rem;color:var(--muted);font-size:.85rem}.hint[hidden]{display:none}
tbody th{font-weight:600;min-width:7.5rem;position:sticky;left:0;background:var(--card)}.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}.message{font-family:ui-monospace,SFMono-Regular,Menlo,monospace;font-size:.85rem;min-width:12rem}
th button{all:unset;cursor:pointer;text-decoration:underline dotted;text-underline-offset:3px}th button:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.task{border-top:1px solid var(--line);margin-top:2rem}.task summary{cursor:pointer;padding:1rem 0}.task summary h2{display:inline;margin:0}.task summary span{color:var(--muted)}
.command{position:relative}pre{overflow-x:auto;background:var(--ground);padding:.8rem 1rem;border-radius:8px;font-size:.88rem;margin:0 0 .7rem;white-space:pre-wrap;overflow-wrap:anywhere}
button{font:inherit;font-size:.85rem;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.25rem .7rem;cursor:pointer}.copy{position:absolute;top:.4rem;right:.4rem}
a{color:var(--accent)}:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.skip{position:absolute;left:-999px}.skip:focus{left:1rem;top:.6rem;background:var(--card);padding:.5rem 1rem;z-index:1}
footer{color:var(--muted);font-size:.85rem;padding-bottom:3rem}
.message{overflow-wrap:anywhere}
@media (max-width:640px){th,td{padding:.42rem .5rem}tbody th{min-width:5.5rem}.wide{display:none}.narrow{display:block}header,main,footer{padding-left:.9rem;padding-right:.9rem}#verdict{padding:1.1rem}figure{padding:.9rem .8rem}h2{margin-top:2.2rem}}
@media print{@page{size:A4;margin:16mm}:root,:root:not([data-theme=light]),:root[data-theme=dark]{--paper:#fff;--card:#fff;--ink:#000;--muted:#444;--line:#ccc;--ground:#eee;--accent:#0b5c9e;--soft:#2b76b3;--bad:#b8480c;--build:#8a6d3b;--on:#fff}body{font-size:10.5pt}.hint,button,.skip{display:none}.scroll{overflow:visible}.wide{display:block}.narrow{display:none}h2,h3{break-after:avoid}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)css";

inline constexpr std::string_view page_script = R"js("use strict";
(() => {
  const root = document.documentElement, theme = document.getElementById("theme");
  const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const name = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  theme.hidden = false; name();
  theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; name(); });
  for (const b of document.querySelectorAll(".copy")) {
    if (!navigator.clipboard) continue;
    b.hidden = false;
    b.addEventListener("click", () => navigator.clipboard.writeText(b.parentNode.querySelector("code").textContent).then(() => { b.textContent = "Copied"; }));
  }
  for (const table of document.querySelectorAll("table.sortable")) {
    table.querySelectorAll("thead th").forEach((th, k) => {
      const b = document.createElement("button");
      b.type = "button"; b.textContent = th.textContent; th.replaceChildren(b);
      b.addEventListener("click", () => {
        const up = th.getAttribute("aria-sort") !== "ascending", body = table.tBodies[0];
        const key = r => r.cells[k].dataset.key === undefined ? r.cells[k].textContent : Number(r.cells[k].dataset.key);
        const rows = [...body.rows].sort((x, y) => { const a = key(x), c = key(y); return (a < c ? -1 : a > c ? 1 : 0) * (up ? 1 : -1); });
        for (const h of table.querySelectorAll("thead th")) h.removeAttribute("aria-sort");
        th.setAttribute("aria-sort", up ? "ascending" : "descending");
        body.append(...rows);
      });
    });
  }
  const wide = () => {
    for (const box of document.querySelectorAll(".scroll")) box.nextElementSibling.hidden = box.scrollWidth <= box.clientWidth + 1;
  };
  addEventListener("resize", wide); wide();
  const open = () => { const d = location.hash && document.getElementById(location.hash.slice(1)); if (d && d.tagName === "DETAILS") d.open = true; };
  addEventListener("toggle", wide, true);
  addEventListener("hashchange", open); open();
  addEventListener("beforeprint", () => { for (const d of document.querySelectorAll("details")) d.open = true; });
})();
)js";

/// What a page may load and run: itself. The number is that of the script, with the line end before it.
inline constexpr std::string_view page_policy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "script-src 'sha256-YyUaohO+cm2aodZBEclBjEz3jBBYe/zHI6bJXFxmq24='";

}  // namespace tunekit::report::detail
