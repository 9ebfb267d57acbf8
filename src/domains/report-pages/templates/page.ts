/** If a report has more sites than this, phones show the parts about the sites only on demand. */
const MANY_SITES = 12;

/** If an overview has more sites than this, phones show only the figures that need attention. */
const LONG_OVERVIEW = 12;

/**
 * Closing words and footer. In print, they stay on the sheet of the content before them, which only works inside one
 * element.
 */
const END = `<% if (it.page.closing.length > 0) { %><div class="words end"><% for (const each of it.page.closing) { %><p dir="auto"><%= each %></p><% } %></div><% } %>
<footer><span dir="auto"><%= it.brand.footer || it.brand.name %></span><span><%= it.page.cover.createdOn %></span></footer>`;

/** Templates of a report as a single file without scripts and external resources. `<%=` escapes text. */
export const PAGE_TEMPLATE = `<!doctype html>
<html lang="<%= it.page.language %>" dir="<%= it.page.direction %>">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="<%= it.policy %>">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title><%= it.page.title %></title>
<style><%~ it.style %></style>
</head>
<body class="<%= it.page.overview ? 'client' : 'single' %><%= it.page.cover.isFullPage ? ' covered' : '' %>">
<div class="sheet">
<header class="cover">
<% if (it.brand.name || it.brand.logo) { %>
<div class="agency"><span dir="auto"><%= it.brand.name %></span><% if (it.brand.logo) { %><img src="<%= it.brand.logo %>" alt="<%= it.brand.name %>"><% } %></div>
<% } %>
<h1 dir="auto"<% if (it.page.cover.name.length > 60) { %> class="long"<% } %>><%= it.page.cover.name %></h1>
<% if (it.page.cover.url) { %><p class="address" dir="ltr"><%= it.page.cover.url %></p><% } %>
<p class="period"><%= it.page.cover.period %></p>
<p class="zone"><%= it.page.cover.zone %></p>
</header>
<main>
<% if (it.page.opening.length > 0) { %><div class="words"><% for (const each of it.page.opening) { %><p dir="auto"><%= each %></p><% } %></div><% } %>
<%~ it.sections %>
<% if (it.page.sites.length > 0) { %><h2 class="part"><%= it.page.sitesTitle %></h2><% } %>
<% if (it.page.sites.length > ${MANY_SITES}) { %><input type="checkbox" class="more-switch" id="all-sites"><label class="more-label" for="all-sites"><%= it.page.details %></label><% } %>
<% it.page.sites.forEach((site, at) => { %>
<section class="site" aria-labelledby="site-<%= at %>"><h3 id="site-<%= at %>" dir="auto"<% if (site.name.length > 60) { %> class="long"<% } %>><%= site.name %></h3>
<% if (it.page.sites.length > 1 && site.sections.length > 1) { %><input type="checkbox" class="more-switch" id="more-<%= at %>"><label class="more-label" for="more-<%= at %>"><%= it.page.details %></label><% } %>
<div class="about-site"><%~ it.ofSites[at] %></div>
</section>
<% }) %>
<% if (it.page.appendix.length > 0) { %>
<div class="appendix<%= it.isLong(it.page.appendix.flatMap((site) => site.topics)) ? ' long' : '' %>">
<% if (it.page.appendixTitle) { %><h2 class="part"><%= it.page.appendixTitle %></h2><% } %>
<% it.page.appendix.forEach((site, at) => { const level = it.page.appendixTitle ? (site.name ? 'h4' : 'h3') : 'h2'; %>
<% if (site.name) { %><h3 class="of-site" id="appendix-<%= at %>" dir="auto"><%= site.name %></h3><% } %>
<% site.topics.forEach((topic, index) => { const id = 'topic-' + at + '-' + index; const isLast = at === it.page.appendix.length - 1 && index === site.topics.length - 1; %>
<% const long = it.isLong([topic]) ? ' long' : ''; if (isLast) { %><div class="last<%= long %>"><% } %><section class="topic<%= long %>" aria-labelledby="<%= site.name ? 'appendix-' + at + ' ' + id : id %>"><<%= level %> id="<%= id %>"><%= topic.title %></<%= level %>>
<% if (topic.note) { %><p class="note"><%= topic.note %></p><% } %>
<%~ it.topicParts.get(topic) %>
<% if (topic.state) { %><p class="as-of"><%= topic.state.asOf %></p>
<%~ it.topicParts.get(topic.state) %><% } %>
</section>
<% if (isLast) { %>${END}</div><% } %>
<% }) %>
<% }) %>
</div>
<% } else { %>
${END}
<% } %>
</main>
</div>
</body>
</html>
`;

/** Sections of a page, or of one site of a client. `it.level` is the tag of their headings. */
export const SECTIONS_TEMPLATE = `<% it.part.sections.forEach((section) => { %><% if (section === 'summary') { %><%~ it.summary(it.part) %><% } else if (section === 'overview') { %><% if (it.overview) { %>
<section class="topic overview<%= it.overview.rows.length > ${LONG_OVERVIEW} ? ' many' : '' %>" aria-labelledby="overview"><h2 id="overview"><%= it.overview.title %></h2>
<%~ it.table(it.overview) %>
</section><% } %><% } else { %>
<section class="body"><<%= it.level %>><%= section.title %></<%= it.level %>>
<% for (const each of section.paragraphs) { %><p dir="auto"><%= each %></p><% } %>
<% if (section.chart) { const drawn = it.drawings.get(section.chart); %><figure><figcaption><%= section.chart.title %><span><%= section.chart.says %></span></figcaption><div class="wide"><%~ drawn.wide %></div><div class="narrow"><%~ drawn.narrow %></div></figure><% } %>
<% if (section.lists.length > 0) { %><div class="lists"><% for (const list of section.lists) { %><div class="list<%= list.items.length > 4 ? ' long' : '' %>">
<% if (list.title) { %><p class="list-title"><%= list.title %></p><% } %>
<% if (list.sentence) { %><p dir="auto"><%= list.sentence %></p><% } %>
<% if (list.items.length > 0) { %><ul><% for (const item of list.items) { %><li<% if (item.tone) { %> class="<%= item.tone %>"<% } %>><span dir="auto"><%= item.text %></span><% if (item.detail) { %> <span class="detail" dir="auto"><%= item.detail %></span><% } %></li><% } %></ul><% } %>
<% if (list.more) { %><p class="more"><%= list.more %></p><% } %></div><% } %></div><% } %>
</section>
<% } }) %><% if (it.part.missing) { %><p class="missing"><%= it.part.missing %></p><% } %>`;

export const SUMMARY_TEMPLATE = `<% if (it.part.notes.length > 0) { %><p class="note"><%= it.part.notes.join(' ') %></p><% } %><% if (it.part.lead.length > 0) { %><p class="lead"><%= it.part.lead.join(' ') %></p><% } %>
<% if (it.part.figures.length > 0) { %><ul class="figures count-<%= it.part.figures.length %>"><% for (const figure of it.part.figures) { %><li class="<%= figure.tone %>"><b><%= figure.value %></b><span><%= figure.label %></span><% if (figure.asOf) { %><span><%= figure.asOf %></span><% } %><% if (figure.before) { %><span class="before"><%= figure.before %></span><% } %></li><% } %></ul><% } %>`;

export const TOPIC_PART_TEMPLATE = `<% if (it.part.counts.length > 0) { %><p class="counts"><% it.part.counts.forEach((count, place) => { %><%= place > 0 ? ' · ' : '' %><span><%= count.label %> <b><%= count.value %></b></span><% }) %></p><% } %>
<% if (it.part.facts.length > 0) { %><dl class="facts"><% for (const fact of it.part.facts) { %><div><dt><%= fact.label %></dt><dd dir="auto"><%= fact.value %></dd></div><% } %></dl><% } %>
<% if (it.part.table) { %><%~ it.table(it.part.table) %><% } %>`;

export const TABLE_TEMPLATE = `<% if (it.table.note) { %><p class="note"><%= it.table.note %></p><% } %><% if (it.table.rows.length > 0) { %><table><thead><tr><% for (const column of it.table.columns) { %><th scope="col"<% if (column.numeric) { %> class="number"<% } %>><%= column.label %></th><% } %></tr></thead>
<tbody>
<% for (const row of it.table.rows) { %><tr><% row.forEach((cell, at) => { %><td<% if (cell.numeric) { %> class="number"<% } else if (cell.short) { %> class="short"<% } else { %> dir="auto"<% } %><% if (it.table.isOverview && (cell.numeric ? !cell.tone || cell.tone === 'good' : cell.minor)) { %> data-calm<% } %> data-label="<%= it.table.columns[at].label %>"><% if (cell.text !== '') { %><span<% if (cell.tone) { %> class="badge <%= cell.tone %>"<% } %>><%= cell.text %></span><% } %></td><% }) %></tr>
<% } %></tbody></table><% } %>
<% if (it.table.more) { %><p class="more"><%= it.table.more %></p><% } %>`;
