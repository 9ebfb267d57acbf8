/** Style sheet of a report. Values of the agency must be validated before, because `<%~` does not escape them. */
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
.cover h1.long, .site > h2.long { font-size: 20px; font-weight: 600; }
.cover .address { margin-top: 6px; font-size: 16px; }
.cover .period { margin-top: 18px; font-size: 18px; font-weight: 600; }
.cover .zone { margin-top: 2px; font-size: 14px; }
main { padding: 36px 56px 20px; }
.lead { font-size: 18px; line-height: 1.6; max-width: 46em; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 14px; margin: 26px 0 0;
  list-style: none; }
.figures li { background: var(--soft); border-radius: 10px; padding: 14px 16px 13px; border-top: 3px solid var(--rule); }
.figures .good { border-color: #2c9a53; } .figures .warn { border-color: #d9920a; }
.figures .bad { border-color: #d2382b; } .figures .plain { border-color: var(--accent); }
.figures b { display: block; font-size: 25px; line-height: 1.25; font-variant-numeric: tabular-nums; }
.figures span { color: var(--pale); font-size: 13.5px; line-height: 1.35; display: block; margin-top: 2px; }
.charts { display: grid; grid-template-columns: 1fr 1fr; gap: 26px 32px; margin-top: 34px; }
.charts figure { min-width: 0; }
.charts figure:only-child, .charts figure:last-child:nth-child(odd) { grid-column: 1 / -1; }
.charts figcaption { font-weight: 600; margin-bottom: 6px; }
.charts figcaption span { color: var(--pale); font-weight: 400; font-size: 13.5px; display: block; }
.charts svg { display: block; width: 100%; height: auto; }
.charts .wide { display: none; }
.charts figure:only-child .wide, .charts figure:last-child:nth-child(odd) .wide { display: block; }
.charts figure:only-child .narrow, .charts figure:last-child:nth-child(odd) .narrow { display: none; }
.site { margin-top: 44px; }
.site > h2 { font-size: 25px; line-height: 1.25; border-bottom: 3px solid var(--accent); padding-bottom: 8px; }
.site > .address { color: var(--pale); margin: 6px 0 16px; }
section.topic { margin-top: 36px; }
.topic h2, .topic h3 { font-size: 19px; line-height: 1.3; color: var(--accent); }
.as-of { font-weight: 600; margin-top: 14px; } h2 + .as-of, h3 + .as-of { margin-top: 3px; }
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
td.short, td.number { overflow-wrap: break-word; } td.short .badge, td.number .badge { white-space: nowrap; }
.badge { display: inline-block; border-radius: 9px; padding: 0 9px; font-size: 12.5px; line-height: 20px;
  font-weight: 600; background: var(--plain-soft); }
.badge.good { background: var(--good-soft); color: var(--good); }
.badge.warn { background: var(--warn-soft); color: var(--warn); }
.badge.bad { background: var(--bad-soft); color: var(--bad); }
.more, .missing { color: var(--pale); margin-top: 8px; font-size: 14px; }
.missing ul { margin-left: 20px; }
footer { color: var(--pale); font-size: 13.5px; border-top: 1px solid var(--rule); margin: 40px 56px 0;
  padding: 16px 0 30px; display: flex; flex-wrap: wrap; gap: 4px 24px; justify-content: space-between; }
@media screen and (max-width: 720px) {
  .sheet { margin: 0; border-radius: 0; }
  .cover { padding: 26px 20px 28px; } .agency { margin-bottom: 28px; flex-wrap: wrap; }
  .cover h1 { font-size: 27px; } main { padding: 24px 20px 10px; } footer { margin: 30px 20px 0; }
  .lead { font-size: 16.5px; }
  .figures { grid-template-columns: 1fr 1fr; gap: 10px; }
  .charts { grid-template-columns: 1fr; }
  .charts figure:only-child .wide, .charts figure:last-child:nth-child(odd) .wide { display: none; }
  .charts figure:only-child .narrow, .charts figure:last-child:nth-child(odd) .narrow { display: block; }
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
}
@page { size: A4; margin: 16mm 15mm 19mm;
  @bottom-left { content: <%~ it.pageFoot %>; font: 8.5pt system-ui, sans-serif; color: #52606d; width: 70%;
    text-align: left; overflow: hidden; white-space: nowrap; }
  @bottom-right { content: counter(page) " / " counter(pages); font: 8.5pt system-ui, sans-serif; color: #52606d; } }
@media print {
  :root { color-scheme: light; }
  body { background: #fff; font-size: 10.5pt; line-height: 1.45; }
  .sheet { max-width: none; margin: 0; box-shadow: none; border-radius: 0; overflow: visible; }
  .cover { padding: 9mm 10mm 10mm; border-radius: 3mm; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  .agency { margin-bottom: 12mm; } .cover h1 { font-size: 25pt; }
  .cover h1.long { font-size: 13pt; }
  main { padding: 7mm 0 0; } footer { margin: 8mm 0 0; padding-bottom: 0; }
  .lead { font-size: 12pt; } .figures { grid-template-columns: repeat(4, 1fr); gap: 3mm; margin-top: 6mm; }
  .figures b { font-size: 15pt; } .figures span { font-size: 8.5pt; }
  .figures li, .badge { -webkit-print-color-adjust: exact; print-color-adjust: exact; break-inside: avoid; }
  .charts { gap: 5mm 7mm; margin-top: 8mm; } .charts figure, .facts div { break-inside: avoid; }
  table { font-size: 8.8pt; } th { font-size: 8pt; } td { padding-top: 1.2mm; padding-bottom: 1.2mm; }
  thead { display: table-header-group; } tr { break-inside: avoid; }
  h1, h2, h3, .as-of, .note, .counts, .site > .address { break-after: avoid; }
  .client .site { break-before: page; margin-top: 0; } section.topic { margin-top: 8mm; }
  p, dd { orphans: 3; widows: 3; }
}
`;
