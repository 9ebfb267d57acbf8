export const TEXT_MAIL_TEMPLATE = `<%= it.heading %>


<% for (const words of it.greeting) { %>
<%= words %>


<% } %>
<%= it.intro %>

<% for (const section of it.sections) { %>
<% if (section.title !== null) { %>

== <%= section.title %> ==
<% } %>
<% for (const item of section.items) { %>

[<%= item.badge %>] <%= item.title %>

<% if (item.address !== null) { %>
<%= item.address %>

<% } %>
<% for (const fact of item.facts) { %>
- <%= fact.label === '' ? '' : \`\${fact.label}: \` %><%= fact.value %>

<% } %>
<% } %>
<% if (section.more > 0) { %>

and <%= section.more %> more
<% } %>
<% } %>
<% if (it.note !== '') { %>

<%= it.note %>

<% } %>
<% for (const link of it.links) { %>

<%= link.label %>:
<%= link.href %>

<% } %>
<% if (it.footer) { %>

--
<%= it.footer %>
<% } %>
`;
