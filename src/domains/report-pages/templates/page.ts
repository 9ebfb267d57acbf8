/** Template of a report as a single file without scripts and external resources. `<%=` escapes text. */
export const PAGE_TEMPLATE = `<!doctype html>
<html lang="en">
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
<body class="<%= it.page.overview ? 'client' : 'single' %>">
<div class="sheet">
<header class="cover">
<% if (it.agency.name || it.agency.logo) { %>
<div class="agency"><span dir="auto"><%= it.agency.name %></span><% if (it.agency.logo) { %><img src="<%= it.agency.logo %>" alt="<%= it.agency.name %>"><% } %></div>
<% } %>
<h1 dir="auto"<% if (it.page.cover.name.length > 60) { %> class="long"<% } %>><%= it.page.cover.name %></h1>
<% if (it.page.cover.url) { %><p class="address" dir="ltr"><%= it.page.cover.url %></p><% } %>
<p class="period"><%= it.page.cover.period %></p>
<p class="zone"><%= it.page.cover.zone %></p>
</header>
<main>
<%~ it.summary(it.page) %>
<% if (it.page.overview) { %>
<section class="topic" aria-labelledby="overview"><h2 id="overview">All sites</h2>
<%~ it.table(it.page.overview) %>
</section>
<% } %>
<% it.page.sites.forEach((site, at) => { %>
<% if (it.page.overview) { %>
<section class="site" aria-labelledby="site-<%= at %>"><h2 id="site-<%= at %>" dir="auto"><%= site.name %></h2>
<p class="address" dir="ltr"><%= site.url %></p>
<%~ it.summary(site) %>
<% } %>
<% site.sections.forEach((section, index) => { const id = 'topic-' + at + '-' + index; const level = it.page.overview ? 'h3' : 'h2'; %>
<section class="topic" aria-labelledby="<%= id %>"><<%= level %> id="<%= id %>"><%= section.title %></<%= level %>>
<% if (section.note) { %><p class="note"><%= section.note %></p><% } %>
<%~ it.sectionPart(section) %>
<% if (section.state) { %><p class="as-of"><%= section.state.asOf %></p>
<%~ it.sectionPart(section.state) %><% } %>
</section>
<% }) %>
<% if (site.missing.length > 0) { %><div class="missing topic"><p>This report does not include the following data, because it could not be loaded:</p><ul><% for (const each of site.missing) { %><li><%= each %></li><% } %></ul></div><% } %>
<% if (it.page.overview) { %></section><% } %>
<% }) %>
</main>
<footer><span dir="auto"><%= it.agency.footer || it.agency.name %></span><span>Created on <%= it.page.cover.madeAt %></span></footer>
</div>
</body>
</html>
`;

export const SUMMARY_TEMPLATE = `<% if (it.part.lead.length > 0) { %><p class="lead"><%= it.part.lead.join(' ') %></p><% } %>
<% if (it.part.figures.length > 0) { %><ul class="figures"><% for (const figure of it.part.figures) { %><li class="<%= figure.tone %>"><b><%= figure.value %></b><span><%= figure.label %></span><% if (figure.asOf) { %><span><%= figure.asOf %></span><% } %></li><% } %></ul><% } %>
<% if (it.part.charts.length > 0) { %><div class="charts"><% for (const chart of it.part.charts) { const drawn = it.drawings.get(chart); %>
<figure><figcaption><%= chart.title %><span><%= chart.says %></span></figcaption><div class="wide"><%~ drawn.wide %></div><div class="narrow"><%~ drawn.narrow %></div></figure>
<% } %></div><% } %>`;

export const SECTION_PART_TEMPLATE = `<% if (it.part.counts.length > 0) { %><p class="counts"><% it.part.counts.forEach((count, place) => { %><%= place > 0 ? ' · ' : '' %><span><%= count.label %> <b><%= count.value %></b></span><% }) %></p><% } %>
<% if (it.part.facts.length > 0) { %><dl class="facts"><% for (const fact of it.part.facts) { %><div><dt><%= fact.label %></dt><dd dir="auto"><%= fact.value %></dd></div><% } %></dl><% } %>
<% if (it.part.table) { %><%~ it.table(it.part.table) %><% } %>`;

export const TABLE_TEMPLATE = `<% if (it.table.note) { %><p class="note"><%= it.table.note %></p><% } %><table><thead><tr><% for (const column of it.table.columns) { %><th scope="col"<% if (column.numeric) { %> class="number"<% } %>><%= column.label %></th><% } %></tr></thead>
<tbody>
<% for (const row of it.table.rows) { %><tr><% row.forEach((cell, at) => { %><td<% if (cell.numeric) { %> class="number"<% } else if (cell.short) { %> class="short"<% } else { %> dir="auto"<% } %> data-label="<%= it.table.columns[at].label %>"><% if (cell.text !== '') { %><span<% if (cell.tone) { %> class="badge <%= cell.tone %>"<% } %>><%= cell.text %></span><% } %></td><% }) %></tr>
<% } %></tbody></table>
<% if (it.table.more > 0) { %><p class="more">and <%= it.number(it.table.more) %> more</p><% } %>`;
