import type { ReportedFailure } from './update-failures.ts';

/**
 * This file produces the HTML that the child prints before the frame of its response to an update, about 600 to 2,000
 * bytes (protocol 1.5).
 */
const START =
  '<p>The update process is starting. This process may take a while on some hosts, so please be patient.</p>\n';

const ALL_STEPS = ['Downloading update', 'Unpacking the update', 'Installing the latest version'];

export function itemUpgradeOutput(
  kind: 'Plugin' | 'Theme',
  names: string[],
  siteUrl: string,
  failures: ReadonlyMap<string, ReportedFailure> = new Map(),
): string {
  const parts = names.map((name, at) => {
    const number = at + 1;
    const failure = failures.get(name);
    const steps = (failure?.steps ?? ALL_STEPS).map((step) => `${step}&#8230;<br />\n`).join('');
    return (
      `<h2>Updating ${kind} ${name} (${number}/${names.length}) <span class="spinner waiting-${number}"></span></h2>` +
      `<script>jQuery('.waiting-${number}').css("display", "inline-block");</script>` +
      `<div class="update-messages hide-if-js" id="progress-${number}"><p>${steps}</p></div>` +
      (failure === undefined
        ? `<script>jQuery('.waiting-${number}').hide();</script>`
        : '<div class="notice error"><p>An error occurred while updating ' +
          `${name}: <strong>${failure.printed}</strong></p></div>`)
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

const stepParagraphs = (steps: readonly string[]): string => steps.map((step) => `<p>${step}&#8230;</p>\n`).join('');

/** Even a successful core update prints only the first two steps. */
export const coreUpgradeOutput = (failure?: ReportedFailure): string =>
  stepParagraphs((failure?.steps ?? ALL_STEPS).slice(0, 2));

export function translationUpgradeOutput(
  items: readonly { name: string; failure: ReportedFailure | undefined }[],
): string {
  const parts = items.map(
    ({ name, failure }) =>
      `<div class="update-messages lp-show-latest"><h2>Updating translations for ${name} (de_DE)&#8230;</h2>` +
      stepParagraphs(failure?.steps ?? ALL_STEPS) +
      (failure === undefined
        ? '<p>Translation updated successfully.</p>\n'
        : `<div class="lp-error"><p>${failure.printed}</p>\n</div>`) +
      '</div>',
  );
  return `<div class="wrap"><h1>Update Translations</h1>${parts.join('')}</div>\n`;
}
