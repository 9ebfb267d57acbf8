/** The HTML a child prints before the frame of an update: some 600 to 2,000 bytes (protocol 1.5). */
const START =
  '<p>The update process is starting. This process may take a while on some hosts, so please be patient.</p>\n';

export function upgradeNoise(kind: 'Plugin' | 'Theme', names: string[], siteUrl: string): string {
  const parts = names.map((name, at) => {
    const number = at + 1;
    return (
      `<h2>Updating ${kind} ${name} (${number}/${names.length}) <span class="spinner waiting-${number}"></span></h2>` +
      `<script>jQuery('.waiting-${number}').css("display", "inline-block");</script>` +
      `<div class="update-messages hide-if-js" id="progress-${number}"><p>Downloading update&#8230;<br />\n` +
      `Unpacking the update&#8230;<br />\nInstalling the latest version&#8230;<br />\n</p></div>` +
      `<script>jQuery('.waiting-${number}').hide();</script>`
    );
  });
  return (
    START +
    parts.join('') +
    '<p>All updates have been completed.</p>\n' +
    `<p><a href="${siteUrl}/wp-admin/plugins.php" target="_parent">Go to Plugins page</a> | ` +
    `<a href="${siteUrl}/wp-admin/update-core.php" target="_parent">Go to WordPress Updates page</a></p>\n`
  );
}
