#include "report/report_internal.h"

/* Text has a contrast of at least 4.5:1, light and dark; print is light. */
const char *const sl_report_style[] = {
    ":root{color-scheme:light dark;--ground:#fff;--ink:#1b1d20;--soft:#565c64;--line:#d7dbe0;"
    "--tint:#f4f6f8;--link:#0b5a9d;--good:#0a6439;--bad:#a1231b;--open:#744e00;"
    "--warn-ground:#fff4d6;--warn-line:#d9a400;--one:#0072b2;--two:#c06000;--three:#008060;"
    "--four:#a04a82}\n",
    "@media screen and (prefers-color-scheme:dark){:root{--ground:#15171a;--ink:#e7e9ec;"
    "--soft:#a8afb8;--line:#383d44;--tint:#1f2226;--link:#82bdf5;--good:#71d29c;--bad:#ff9d93;"
    "--open:#efc470;--warn-ground:#332a10;--warn-line:#a98517;--one:#56b4e9;--two:#f0a050;"
    "--three:#40c8a0;--four:#e090c0}}\n",
    "*{box-sizing:border-box}\n",
    "html{background:var(--ground);-webkit-text-size-adjust:100%;text-size-adjust:100%}\n",
    "body{margin:0 auto;max-width:72rem;padding:1.5rem clamp(.75rem,3vw,2rem) "
    "4rem;color:var(--ink);"
    "font:1rem/1.55 system-ui,sans-serif;overflow-wrap:break-word}\n",
    "h1{font-size:1.9rem;line-height:1.2;margin:.5rem 0 1rem;text-wrap:balance}\n",
    "h2{font-size:1.4rem;line-height:1.25;margin:3rem 0 .75rem;padding-top:1rem;"
    "border-top:1px solid var(--line)}\n",
    "h3{font-size:1.1rem;margin:2rem 0 .5rem}\nh4{font-size:1rem;margin:1.5rem 0 .5rem}\n",
    "p{max-width:44rem;margin:.6rem 0}\n",
    "a{color:var(--link)}\n",
    "a:focus-visible,button:focus-visible,summary:focus-visible,[tabindex]:focus-visible{"
    "outline:3px solid var(--link);outline-offset:2px}\n",
    "code,pre{font:.88em/1.5 ui-monospace,monospace}\n",
    "code{overflow-wrap:anywhere}\n",
    "pre{overflow-x:auto;background:var(--tint);padding:.75rem 1rem;border-radius:6px}\n",
    "pre code{overflow-wrap:normal}\n",
    "h2 a,h3 a,h4 a{color:inherit;text-decoration:none}\n",
    "h2 a:hover,h3 a:hover,h4 a:hover{text-decoration:underline}\n",
    ".answer{font-size:1.25rem;line-height:1.45;max-width:52rem;margin:1rem 0 .8rem;"
    "text-wrap:pretty}\n",
    ".basis{color:var(--soft);max-width:52rem;margin:.4rem 0 1.4rem;"
    "border-inline-start:4px solid var(--line);padding-inline-start:.9rem}\n",
    "nav ul{list-style:none;margin:0;padding:0}\n",
    "nav li{padding:.2rem 0;break-inside:avoid}\n",
    /* The contents as a fixed side column. */
    "@media screen and (min-width:75rem){body:has(nav){max-width:92rem;padding-inline-start:16rem}"
    "nav{position:fixed;inset-block:0;inset-inline-start:max(0px,(100vw - 92rem)/2);width:14.75rem;"
    "overflow-y:auto;padding:1.5rem .75rem 1.5rem 1.25rem;font-size:.88rem;line-height:1.4;"
    "border-inline-end:1px solid var(--line)}"
    "nav details{border:0;padding:0;margin:0}nav summary{display:none}}\n",
    "nav a[aria-current]{color:var(--ink);font-weight:600;text-decoration:none}\n",
    "[id]{scroll-margin-top:1rem}\n",
    ".note{border-left:4px solid var(--line);background:var(--tint);padding:.6rem .9rem;"
    "border-radius:0 6px 6px 0}\n",
    ".note.warning{border-color:var(--warn-line);background:var(--warn-ground)}\n",
    ".badge{background:var(--warn-ground);border:1px solid var(--warn-line);border-radius:4px;"
    "padding:.05rem .4rem;white-space:normal}\n",
    ".soft{color:var(--soft)}\n",
    ".table{margin:1.25rem 0}\n.scroll{overflow-x:auto}\n",
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n",
    ".sortable{min-width:100%;font-size:.9rem}\n",
    ".table figcaption,.caption{font-weight:600;padding:.4rem 0;max-width:none}\n",
    ".sortable th,.sortable td{padding:.4rem;text-align:left;vertical-align:top;"
    "border-bottom:1px solid var(--line)}\n",
    ".sortable th:first-child{padding-left:0}\n",
    ".sortable tbody th{font-weight:400;min-width:7rem}\n",
    "@media screen and (min-width:48rem){.brief tbody th{white-space:nowrap}}\n",
    ".sortable thead th{font-weight:600;border-bottom:2px solid "
    "var(--soft);vertical-align:bottom}\n",
    ".sortable .number{text-align:right}\n.sortable td.number{white-space:nowrap}\n"
    ".sortable td.number .soft{white-space:normal}\n",
    "thead button{all:unset;cursor:pointer;font-weight:600;display:inline-block;min-height:24px}\n",
    "thead button::after{content:'\\a0\\2195';color:var(--soft)}\n",
    "[aria-sort=ascending] button::after{content:'\\a0\\2191'}\n",
    "[aria-sort=descending] button::after{content:'\\a0\\2193'}\n",
    ".mark{font-weight:600;white-space:nowrap}\n",
    ".good{color:var(--good)}.bad{color:var(--bad)}.open{color:var(--open)}.none{color:var(--soft)}"
    "\n",
    ".downloads{font-size:.9rem;color:var(--soft);margin:.3rem 0}\n",
    ".downloads a{display:inline-block;min-height:24px;padding:0 .3rem}\n",
    ".charts{display:grid;gap:1.5rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),"
    "1fr));"
    "align-items:start;margin:1rem 0}\n",
    "figure{margin:0}\n.chart{max-width:38rem}\n.chart svg{display:block;width:100%;height:auto}\n",
    ".chart figcaption{font-size:.85rem;margin-top:.3rem}\n",
    ".sl-plot{--sl-paper:transparent}\n",
    ".gallery{list-style:none;margin:0;padding:0;display:grid;gap:1rem;"
    "grid-template-columns:repeat(auto-fill,minmax(min(100%,18rem),1fr))}\n",
    ".gallery li{border:1px solid "
    "var(--line);border-radius:8px;padding:.8rem;break-inside:avoid}\n",
    ".item{display:flex;gap:.8rem;align-items:center;margin-bottom:.5rem}\n.item p{margin:0;"
    "min-width:0;overflow-wrap:anywhere}\n",
    ".item img{image-rendering:pixelated;object-fit:contain;border-radius:4px;flex:none}\n",
    ".shares{width:100%;table-layout:fixed;font-size:.85rem}\n",
    ".shares thead th:first-child{width:38%}\n",
    ".shares th{text-align:left;font-weight:400;padding:.05rem .3rem .05rem "
    "0;overflow-wrap:anywhere}\n",
    ".shares thead th{color:var(--soft)}\n.shares td{padding:.05rem 0;white-space:nowrap}\n",
    ".shares .rest{color:var(--soft)}\n",
    ".bar{display:inline-block;height:.7em;margin-right:.3rem}\n",
    ".bar.one{background:var(--one)}\n",
    ".bar.two{background:repeating-linear-gradient(135deg,var(--two) 0 3px,transparent 3px 5px);"
    "box-shadow:inset 0 0 0 1px var(--two)}\n",
    ".bar.three{background:repeating-linear-gradient(90deg,var(--three) 0 3px,transparent 3px 5px);"
    "box-shadow:inset 0 0 0 1px var(--three)}\n",
    ".bar.four{box-shadow:inset 0 0 0 2px var(--four)}\n",
    ".many{grid-template-columns:repeat(auto-fill,minmax(min(100%,30rem),1fr))}\n",
    ".many .shares thead th:first-child{width:22%}\n",
    "@media (max-width:40rem){.many .bar{display:block;margin:.2rem 0 0}}\n",
    "details>:last-child{margin-bottom:.8rem}\n",
    "details{border:1px solid var(--line);border-radius:8px;padding:.2rem .9rem;margin:1rem 0}\n",
    "summary{cursor:pointer;padding:.4rem 0;font-weight:600}\n",
    "dl{display:grid;gap:.3rem;margin:.8rem 0}\n",
    "dl div{display:grid;grid-template-columns:minmax(6rem,11rem) 1fr;gap:.8rem}\n",
    "dt{color:var(--soft)}\ndd{margin:0;overflow-wrap:anywhere}\n",
    "@media screen and (max-width:48rem){.cards thead{display:none}"
    ".cards,.cards tbody,.cards tr,.cards th,.cards td{display:block}"
    ".cards tr{border-bottom:2px solid var(--line);padding:.6rem 0}"
    ".cards tbody th{font-weight:600}"
    ".sortable.cards th,.sortable.cards td{border:0;padding:.15rem 0;text-align:left;"
    "white-space:normal}"
    ".cards td[data-title]:not(:empty)::before{content:attr(data-title) \": \";"
    "color:var(--soft)}}\n",
    "@media (max-width:30rem){dl "
    "div{grid-template-columns:1fr;gap:0}}\n",
    /* Headings, captions and summaries stay with their content; bars and pictures are not cut and
     * keep their colours. */
    "@media print{@page{margin:15mm}body{max-width:none;padding:0;font-size:10pt}"
    ".downloads,nav{display:none}"
    ".scroll{overflow:visible}thead button::after{content:''}"
    "h1,h2,h3,h4,h3+p,figcaption,.caption,.caption+.soft,summary{break-after:avoid}"
    ".answer,.basis,.note,.item,.shares,.gallery li,.chart,tr,dl div{break-inside:avoid}"
    "p,li{orphans:3;widows:3}h2{margin-top:1.5rem}"
    ".charts{grid-template-columns:1fr 1fr}.gallery{grid-template-columns:1fr 1fr}"
    ".many{grid-template-columns:1fr}"
    "details{border:0;padding:0}summary{list-style:none}summary::-webkit-details-marker{display:"
    "none}"
    "thead{display:table-header-group;break-inside:avoid}"
    ".bar,.badge,.note,.sl-plot{-webkit-print-color-adjust:exact;print-color-adjust:exact}"
    ".sortable{font-size:7.5pt}.sortable tbody th{min-width:0}"
    ".sortable th,.sortable td{padding:.1rem .25rem;white-space:normal}"
    ".sortable td.number{white-space:normal}pre{white-space:pre-wrap}a{color:inherit}}\n",
    NULL,
};

/* Sorting and downloads; the page is readable without the script. Empty cells sort last. */
const char *const sl_report_script[] = {
    "'use strict';\n",
    "for (const table of document.querySelectorAll('table.sortable')) {\n",
    "  const heads = [...table.tHead.rows[0].cells];\n",
    "  heads.forEach((head, column) => {\n",
    "    const button = document.createElement('button');\n",
    "    button.type = 'button';\n",
    "    button.append(...head.childNodes);\n",
    "    head.append(button);\n",
    "    button.addEventListener('click', () => {\n",
    "      const sign = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;\n",
    "      heads.forEach((other) => other.removeAttribute('aria-sort'));\n",
    "      head.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');\n",
    "      const body = table.tBodies[0];\n",
    "      const isNumeric = body.querySelector(`tr > :nth-child(${column + 1})[data-k]`);\n",
    "      const keyed = [...body.rows].map((row) => {\n",
    "        const cell = row.cells[column];\n",
    "        return { row, key: isNumeric ? parseFloat(cell.dataset.k) : cell.textContent };\n",
    "      });\n",
    "      const gone = (key) => Number.isNaN(key) || key === '\\u2013';\n",
    "      const compare = (a, b) => isNumeric ? a - b\n",
    "        : a.localeCompare(b, 'en', { numeric: true });\n",
    "      keyed.sort((a, b) => gone(a.key) - gone(b.key)\n",
    "        || (gone(a.key) ? 0 : sign * compare(a.key, b.key)));\n",
    "      body.append(...keyed.map((entry) => entry.row));\n",
    "    });\n",
    "  });\n",
    "}\n",
    "for (const line of document.querySelectorAll('.downloads')) line.hidden = false;\n",
    "for (const link of document.querySelectorAll('a[data-text]'))\n",
    "  link.addEventListener('click', () => {\n",
    "    link.href = URL.createObjectURL(new Blob([link.dataset.text], { type: 'text/plain' }));\n",
    "  }, { once: true });\n",
    "const contents = document.querySelector('nav details');\n",
    "if (contents) {\n",
    "  const wide = matchMedia('(min-width:75rem)');\n",
    "  const links = new Map([...contents.querySelectorAll('a')]\n",
    "    .map((link) => [link.hash.slice(1), link]));\n",
    "  const fold = () => { contents.open = wide.matches || links.size <= 8; };\n",
    "  const mark = () => {\n",
    "    const seen = [...links.keys()].filter((id) =>\n",
    "      document.getElementById(id).getBoundingClientRect().top < 120).pop();\n",
    "    for (const [id, link] of links)\n",
    "      if (id === seen) link.setAttribute('aria-current', 'location');\n",
    "      else link.removeAttribute('aria-current');\n",
    "  };\n",
    "  wide.addEventListener('change', fold);\n",
    "  addEventListener('scroll', mark, { passive: true });\n",
    "  fold();\n",
    "  mark();\n",
    "}\n",
    "addEventListener('beforeprint', () => {\n",
    "  for (const fold of document.querySelectorAll('details')) fold.open = true;\n",
    "});\n",
    NULL,
};
