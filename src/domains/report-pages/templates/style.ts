/** Style sheet of a report. `<%~` does not escape values, so the caller must check the colors and escape `pageFoot`. */
export const PAGE_STYLE_TEMPLATE = `
:root { color-scheme: light dark; --ink: #17202a; --pale: #52606d; --paper: #ffffff; --ground: #eef1f4;
  --soft: #f5f7f9; --rule: #dde3e9; --accent: <%~ it.colors.accent %>; --chart: <%~ it.colors.accent %>;
  --chart-too: #8a6d1d; --cover: <%~ it.colors.cover %>; --on-cover: <%~ it.colors.onCover %>;
  --good: #17602f; --good-soft: #dff3e4; --warn: #7a4b00; --warn-soft: #fdf0d5; --bad: #8f1d14; --bad-soft: #fbe3e1;
  --plain-soft: #e9edf1; }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #e8edf2; --pale: #a9b6c3; --paper: #171d24;
  --ground: #0e1216; --soft: #1f262e; --rule: #333d47; --accent: <%~ it.colors.night %>;
  --chart: <%~ it.colors.night %>; --chart-too: #d9b44a; --good: #bdf0cc; --good-soft: #123f22; --warn: #ffe1a8;
  --warn-soft: #4f3500; --bad: #ffd3cf; --bad-soft: #5a1a17; --plain-soft: #2a333d; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); overflow-wrap: anywhere;
  font: 15px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; }
h1, h2, h3, h4, p, ul, dl, figure { margin: 0; padding: 0; }
.sheet { max-width: 1020px; margin: 32px auto; background: var(--paper); border-radius: 14px; overflow: hidden;
  box-shadow: 0 1px 3px #0002, 0 8px 30px #0001; }
.cover { background: var(--cover); color: var(--on-cover); padding: 40px 56px 44px; }
.agency { display: flex; align-items: center; justify-content: space-between; gap: 24px; margin-bottom: 44px;
  font-weight: 600; font-size: 16px; }
.agency img { display: block; max-width: 240px; max-height: 64px; background: #fff; padding: 8px 12px;
  border-radius: 8px; object-fit: contain; }
.cover h1 { font-size: 36px; line-height: 1.2; font-weight: 700; letter-spacing: -0.01em; }
.cover h1.long { font-size: 20px; font-weight: 600; }
.cover .address { margin-top: 6px; font-size: 16px; }
.cover .period { margin-top: 18px; font-size: 18px; font-weight: 600; }
.cover .zone { margin-top: 2px; font-size: 14px; }
main { padding: 36px 56px 20px; }
.lead { font-size: 18px; line-height: 1.6; max-width: 46em; } .note + .lead { margin-top: 6px; }
.figures { display: grid; grid-template-columns: repeat(4, 1fr); gap: 14px; margin: 22px 0 0; list-style: none; }
.figures.count-2 { grid-template-columns: 1fr 1fr; } .figures.count-3 { grid-template-columns: repeat(3, 1fr); }
.figures li { background: var(--soft); border-radius: 10px; padding: 14px 16px 13px; border-top: 3px solid var(--rule); }
.figures .good { border-color: #2c9a53; } .figures .warn { border-color: #d9920a; }
.figures .bad { border-color: #d2382b; } .figures .plain { border-color: var(--accent); }
.figures b { display: block; font-size: 25px; line-height: 1.25; font-variant-numeric: tabular-nums; }
.figures .before { border-top: 1px solid var(--rule); padding-top: 4px; margin-top: 6px; }
.figures span { color: var(--pale); font-size: 13.5px; line-height: 1.35; display: block; margin-top: 2px; }
.words { max-width: 46em; margin-bottom: 18px; } .words p + p { margin-top: 8px; } .words.end { margin: 26px 0 0; }
section.body { margin-top: 28px; }
section.body h2 { font-size: 20px; line-height: 1.3; color: var(--accent); margin-bottom: 4px; }
section.body h4 { font-size: 15px; color: var(--accent); margin-bottom: 2px; }
section.body > p { max-width: 46em; } section.body > p + p { margin-top: 4px; }
.lists { display: grid; gap: 14px; margin-top: 8px; }
.list-title { font-weight: 600; }
.list ul { list-style: none; margin-top: 4px; }
.list li { border-bottom: 1px solid var(--rule); padding: 4px 0; display: flex; justify-content: space-between;
  gap: 4px 16px; }
.list li > span { min-width: 0; flex: 1 1 0; } .list .detail { color: var(--pale); text-align: end; flex: none;
  max-width: 60%; }
.list.long ul { display: grid; grid-template-columns: 1fr 1fr; gap: 0 32px; }
.list li.bad, .list li.warn { padding-inline-start: 10px; border-inline-start: 3px solid #d9920a; }
.list li.bad { border-inline-start-color: #d2382b; } .list li.bad, .list li.warn { margin-top: 4px; }
.more-switch, .more-label { display: none; }
figure { margin-top: 12px; min-width: 0; }
figcaption { font-weight: 600; margin-bottom: 4px; }
figcaption span { color: var(--pale); font-weight: 400; font-size: 13.5px; display: block; }
figure svg { display: block; width: 100%; height: auto; } figure .narrow { display: none; }
h2.part { font-size: 22px; margin-top: 40px; color: var(--accent); }
.site { margin-top: 20px; padding-top: 14px; border-top: 2px solid var(--rule); }
.site > h3 { font-size: 19px; line-height: 1.3; } .site > h3.long { font-size: 16px; }
.about-site { columns: 2; column-gap: 36px; margin-top: 4px; } .site .lead { font-size: 15px; column-span: all; }
.site section.body { margin-top: 10px; } .site .lists { display: block; } .site .list + .list { margin-top: 8px; }
.site .list.long ul { display: block; }
.site .lead + section.body { margin-top: 0; } .site .lead { margin-bottom: 8px; }
.site h4, .site .list-title { break-after: avoid; } .site .list { break-inside: avoid; }
.site .more { break-before: avoid; }
.of-site { font-size: 19px; margin-top: 34px; border-bottom: 2px solid var(--accent); padding-bottom: 4px; }
section.topic { margin-top: 36px; }
.topic h2, .topic h3, .topic h4 { font-size: 19px; line-height: 1.3; color: var(--accent); }
.as-of { font-weight: 600; margin-top: 14px; } h2 + .as-of, h3 + .as-of, h4 + .as-of { margin-top: 3px; }
.note { color: var(--pale); margin-top: 3px; }
.counts { color: var(--pale); margin-top: 3px; }
.counts span { white-space: nowrap; } .counts b { color: var(--ink); }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(250px, 1fr)); gap: 0 32px; margin-top: 10px; }
.facts div { display: flex; justify-content: space-between; gap: 16px; border-bottom: 1px solid var(--rule);
  padding: 7px 0; }
.facts dt { color: var(--pale); flex: none; max-width: 55%; } .facts dd { margin: 0; text-align: end; min-width: 0; }
table { width: 100%; border-collapse: collapse; margin-top: 12px; font-size: 14px; line-height: 1.45; }
th { text-align: start; font-weight: 600; color: var(--pale); font-size: 12.5px; padding: 6px 10px 6px 0;
  border-bottom: 2px solid var(--rule); vertical-align: bottom; overflow-wrap: normal; }
td { padding: 7px 10px 7px 0; border-bottom: 1px solid var(--rule); vertical-align: top; min-width: 3.5em; }
th.number, td.number { text-align: end; padding-right: 14px; font-variant-numeric: tabular-nums; }
th:last-child, td:last-child { padding-right: 0; }
td:first-child { font-weight: 500; }
.overview td.number > span:not(.badge), .overview th.number:last-child { padding-inline-end: 9px; }
.overview th.number:not(:last-child) { padding-inline-end: 23px; } .overview td.number > span { white-space: nowrap; }
td.short, td.number { overflow-wrap: break-word; } td.short .badge, td.number .badge { white-space: nowrap; }
.badge { display: inline-block; border-radius: 9px; padding: 0 9px; font-size: 12.5px; line-height: 20px;
  font-weight: 600; background: var(--plain-soft); }
.badge.good { background: var(--good-soft); color: var(--good); }
.badge.warn { background: var(--warn-soft); color: var(--warn); }
.badge.bad { background: var(--bad-soft); color: var(--bad); }
.more, .missing { color: var(--pale); margin-top: 8px; font-size: 14px; }
footer { color: var(--pale); font-size: 13.5px; border-top: 1px solid var(--rule); margin: 60px 0 0;
  padding: 16px 0 10px; display: flex; flex-wrap: wrap; gap: 4px 24px; justify-content: space-between; }
@media screen and (max-width: 720px) {
  .sheet { margin: 0; border-radius: 0; }
  .cover { padding: 26px 20px 28px; } .agency { margin-bottom: 28px; flex-wrap: wrap; }
  .cover h1 { font-size: 27px; } main { padding: 24px 20px 10px; } footer { margin: 40px 0 0; }
  .lead { font-size: 16.5px; }
  .figures, .figures.count-2 { grid-template-columns: 1fr 1fr; gap: 10px; }
  .figures.count-3 { gap: 8px; } .figures.count-3 li { padding: 10px; } .figures.count-3 b { font-size: 19px; }
  figure .wide { display: none; } figure .narrow { display: block; }
  .list.long ul { grid-template-columns: 1fr; } .list li { padding: 3px 0; } .about-site { columns: 1; }
  .facts { grid-template-columns: 1fr; }
  table, tbody, tr, td { display: block; } thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px;
    overflow: hidden; }
  tr { padding: 9px 0; border-bottom: 1px solid var(--rule); }
  td, td:last-child, td.number { border: 0; padding: 1px 0; display: flex;
    justify-content: space-between; gap: 16px; text-align: end; }
  td > span { min-width: 0; } td[dir] { unicode-bidi: isolate; direction: ltr; } td[dir] > span { unicode-bidi: plaintext; }
  td::before { content: attr(data-label); color: var(--pale); flex: none; text-align: start; font-weight: 400; }
  td:first-child { display: block; text-align: start; font-weight: 600; font-size: 15px; }
  td:first-child::before { content: none; } td:empty { display: none; }
  .overview tr { display: grid; grid-template-columns: 6fr 5fr; column-gap: 22px; padding: 4px 0; }
  .overview td:not(:first-child) { font-size: 13px; gap: 6px; padding: 0; } .overview td:not(.number) { grid-column: 1 / -1; }
  .overview td.short > span { padding-inline-end: 9px; } .overview td::before { flex: 0 1 auto; }
  .overview td.number:empty { display: flex; } .overview td.number:empty::after { content: '–'; padding-inline-end: 9px; }
  .overview.many td[data-calm]:not(:first-child) { display: none; } .overview.many tr { padding: 1px 0; }
  .overview.many td:first-child { font-size: 13px; line-height: 1.25; padding: 0; }
  #all-sites:not(:checked) ~ .site { display: none; }
  .more-switch:not(:checked) ~ .about-site section.body { display: none; }
  .site { margin-top: 8px; padding-top: 8px; } .site .lead { font-size: 14.5px; line-height: 1.5; margin-bottom: 0; }
  h2.part { margin-top: 28px; } section.topic { margin-top: 28px; } .site > h3 { font-size: 17px; display: inline-block;
    margin-inline-end: 10px; }
  .more-switch, .more-label { display: inline-block; } .more-label { padding: 6px 4px; color: var(--accent); }
}
@page { size: A4; margin: 13mm 15mm 17mm;
  @bottom-left { content: <%~ it.pageFoot %>; font: 8.5pt system-ui, sans-serif; color: #52606d; width: 70%;
    text-align: left; overflow: hidden; white-space: nowrap; }
  @bottom-right { content: counter(page) " / " counter(pages); font: 8.5pt system-ui, sans-serif; color: #52606d; } }
@media print {
  :root { color-scheme: light; }
  body { background: #fff; font-size: 10pt; line-height: 1.4; }
  .sheet { max-width: none; margin: 0; box-shadow: none; border-radius: 0; overflow: visible; }
  .cover { padding: 5mm 8mm 6mm; border-radius: 3mm; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  .agency { margin-bottom: 4mm; } .cover .period { margin-top: 3mm; } .cover h1 { font-size: 22pt; }
  .cover h1.long { font-size: 13pt; }
  main { padding: 5mm 0 0; } footer { margin: 5mm 0 0; padding: 2mm 0 0; font-size: 8.5pt; }
  .lead { font-size: 10.5pt; line-height: 1.45; } .site .lead { font-size: 9.5pt; line-height: 1.4; } .figures { gap: 3mm; margin-top: 4mm; }
  .figures b { font-size: 15pt; } .figures span { font-size: 8.5pt; } .words { margin-bottom: 4mm; }
  .figures li, .badge, .list li { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  .figures li, .badge, .list li, figure, .facts div { break-inside: avoid; }
  section.body { margin-top: 5mm; } section.body h2 { font-size: 13pt; margin-bottom: 0.5mm; }
  .list { break-inside: avoid; } .list.long { break-inside: auto; }
  .site { break-inside: avoid; margin-top: 4mm; padding-top: 3mm; } .site > h3 { font-size: 13pt; }
  .site section.body { margin-top: 2mm; } .list li { padding: 0.5mm 0; } .lists { gap: 2mm; margin-top: 1mm; } .list .more { margin-top: 0.5mm; font-size: 9.5pt; }
  .list, .site, section.body > p { font-size: 9.5pt; } .list ul { margin-top: 0.5mm; } figure { margin-top: 2mm; }
  figcaption span { display: inline; margin-inline-start: 2mm; } figure .wide svg { max-height: 30mm; }
  section.body > figure, section.body > p + .lists { break-before: avoid; } .note { break-inside: avoid; } h2.part { margin-top: 6mm; font-size: 15pt; }
  .words.end, footer { break-before: avoid; break-inside: avoid; } .words.end { margin-top: 4mm; }
  .covered .cover { height: 255mm; break-after: page; display: flex; flex-direction: column; justify-content: center; }
  .appendix { break-before: page; } .appendix:first-child { break-before: auto; }
  .single .appendix:not(:first-child, .long), .last:not(:first-child, .long) { break-before: avoid; break-inside: avoid; }
  .appendix > .topic:last-of-type:not(.long) { break-inside: avoid; }
  table { font-size: 8.8pt; } th { font-size: 8pt; } td { padding-top: 1.2mm; padding-bottom: 1.2mm; }
  .overview td { padding-top: 0.6mm; padding-bottom: 0.6mm; min-width: 0; } .overview td:first-child { min-width: 28mm; }
  .overview th, .overview td, .overview td.number { padding-inline-end: 5px; }
  .overview th.number:not(:last-child) { padding-inline-end: 14px; }
  thead { display: table-header-group; } tr { break-inside: avoid; }
  h1, h2, h3, h4, .as-of, .note, .counts, .list-title { break-after: avoid; } section.topic { margin-top: 6mm; }
  .topic > :last-child { break-after: auto; }
  thead, tbody tr:first-child { break-after: avoid; } tbody tr:nth-last-child(-n + 7) { break-before: avoid; }
  p, dd { orphans: 3; widows: 3; }
}
`;
