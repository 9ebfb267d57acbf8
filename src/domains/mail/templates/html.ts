/**
 * HTML template of a mail. Mail programs support little CSS, so tables define the layout and each element has its own
 * style. The style sheet only adapts the mail to small and dark screens. Nothing is loaded from other servers.
 */
export const HTML_MAIL_TEMPLATE = `<!doctype html>
<html lang="<%= it.language.tag %>" dir="<%= it.language.direction %>">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title><%= it.heading %></title>
<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (max-width: 640px) {
  .outer { padding: 0 !important; }
  .sheet, .band { border-radius: 0 !important; }
  .sheet { border-left: 0 !important; border-right: 0 !important; }
  .pad { padding-left: 18px !important; padding-right: 18px !important; }
  .label, .value { display: block !important; width: auto !important; }
  .label { padding-bottom: 0 !important; }
  .value { padding-top: 0 !important; }
}
@media (prefers-color-scheme: dark) {
  .page { background-color: #101418 !important; }
  .sheet { background-color: #1a2027 !important; border-color: #2e3740 !important; }
  .ink { color: #e8edf2 !important; }
  .pale { color: #a3b0bd !important; }
  .rule { border-color: #2e3740 !important; }
  .link { color: <%= it.look.linkOnDark %> !important; }
  .brand { background-color: #2a333d !important; color: <%= it.look.badgeOnDark %> !important; }
  .bad { background-color: #5a1a17 !important; color: #ffd3cf !important; }
  .warn { background-color: #4f3500 !important; color: #ffe1a8 !important; }
  .good { background-color: #123f22 !important; color: #bdf0cc !important; }
  .info { background-color: #16345f !important; color: #cfe1ff !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#eef1f4;-webkit-text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden"><%= it.intro %></div>
<div role="main">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background-color:#eef1f4">
<tr><td class="outer" align="center" style="padding:32px 16px">
<table role="presentation" class="sheet" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px;background-color:#ffffff;border:1px solid #d8dee4;border-radius:10px;border-collapse:separate;font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
<% if (it.look.band) { const band = it.look.band; %>
<tr><td class="pad band" bgcolor="<%= band.color %>" style="padding:<%= band.name || band.logo ? '18px 32px' : '4px 32px' %>;background-color:<%= band.color %>;color:<%= band.onColor %>;border-radius:9px 9px 0 0;font-size:19px;line-height:26px;font-weight:700;overflow-wrap:anywhere">
<% if (band.logo) { %><img src="<%= band.logo.url %>" width="<%= band.logo.width %>" height="<%= band.logo.height %>" alt="<%= band.name %>" style="display:block;border:0;background-color:#ffffff;color:#17202a;padding:8px 12px;border-radius:8px"><% } else { %><%= band.name %><% } %>
</td></tr>
<% } %>
<tr><td class="pad" style="padding:28px 32px 8px">
<h1 class="ink" style="margin:0;font-size:22px;line-height:29px;font-weight:600;color:#17202a;overflow-wrap:anywhere"><%= it.heading %></h1>
<% for (const words of it.greeting) { %>
<p class="ink" style="margin:8px 0 0;font-size:15px;line-height:22px;color:#17202a;overflow-wrap:anywhere"><%= words %></p>
<% } %>
<p class="pale" style="margin:8px 0 0;font-size:15px;line-height:22px;color:#52606d;overflow-wrap:anywhere"><%= it.intro %></p>
</td></tr>
<% for (const section of it.sections) { %>
<% if (section.title !== null) { %>
<tr><td class="pad" style="padding:24px 32px 0">
<h2 class="ink" style="margin:0;font-size:16px;line-height:22px;font-weight:600;color:#17202a"><%= section.title %></h2>
</td></tr>
<% } %>
<% for (const item of section.items) { %>
<tr><td class="pad" style="padding:16px 32px 0">
<table role="presentation" class="rule" width="100%" cellpadding="0" cellspacing="0" style="border-top:1px solid #e3e8ed">
<tr><td style="padding-top:16px">
<span class="<%= it.look.band ? 'brand' : item.tone %>" style="display:inline-block;padding:2px 9px;border-radius:10px;font-size:12px;line-height:18px;font-weight:600;<%= it.look.band ? it.look.badge : it.colors[item.tone] %>"><%= item.badge %></span>
<div class="ink" style="margin-top:8px;font-size:17px;line-height:23px;font-weight:600;color:#17202a;overflow-wrap:anywhere"><%= item.title %></div>
<% if (item.address !== null) { %>
<div style="font-size:14px;line-height:20px;overflow-wrap:anywhere"><% if (item.web !== null) { %><a class="link" href="<%= item.web %>" style="color:<%= it.look.link %>;text-decoration:none"><%= item.address %></a><% } else { %><span class="pale" style="color:#52606d"><%= item.address %></span><% } %></div>
<% } %>
<% if (item.facts.length > 0) { %>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin-top:8px">
<% for (const fact of item.facts) { %>
<% if (fact.label === '') { %>
<tr><td class="ink" colspan="2" valign="top" style="padding:3px 0;font-size:14px;line-height:20px;color:#17202a;overflow-wrap:anywhere"><%= fact.value %></td></tr>
<% } else { %>
<tr><td class="label pale" width="130" valign="top" style="width:130px;padding:3px 12px 3px 0;font-size:14px;line-height:20px;color:#52606d"><%= fact.label %></td><td class="value ink" valign="top" style="padding:3px 0;font-size:14px;line-height:20px;color:#17202a;overflow-wrap:anywhere"><%= fact.value %></td></tr>
<% } %>
<% } %>
</table>
<% } %>
</td></tr>
</table>
</td></tr>
<% } %>
<% if (section.more > 0) { %>
<tr><td class="pad pale" style="padding:14px 32px 0;font-size:14px;line-height:20px;color:#52606d">and <%= section.more %> more</td></tr>
<% } %>
<% } %>
<% if (it.note !== '') { %>
<tr><td class="pad ink" style="padding:20px 32px 0;font-size:15px;line-height:22px;color:#17202a"><%= it.note %></td></tr>
<% } %>
<% for (const link of it.links) { %>
<tr><td class="pad" style="padding:20px 32px 0;font-size:16px;line-height:24px;font-weight:600"><a class="link" href="<%= link.href %>" style="color:<%= it.look.link %>"><%= link.label %></a></td></tr>
<% } %>
<tr><td class="pad" style="padding:24px 32px 26px">
<table role="presentation" class="rule" width="100%" cellpadding="0" cellspacing="0" style="border-top:1px solid #e3e8ed">
<tr><td class="pale" style="padding-top:14px;font-size:13px;line-height:19px;color:#52606d"><%= it.footer %></td></tr>
</table>
</td></tr>
</table>
</td></tr>
</table>
</div>
</body>
</html>
`;
