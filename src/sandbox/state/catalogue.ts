import type { PluginDefinition, ThemeDefinition } from './site-state.ts';

/**
 * Defines a plugin of the simulated sites. Names and file names are those of well-known plugins and themes, so that
 * lists look realistic. Versions, ages and descriptions are invented.
 */
function definePlugin(
  file: string,
  name: string,
  versions: string,
  ageDays = 20,
  more: Partial<PluginDefinition> = {},
): PluginDefinition {
  return {
    file,
    name,
    description: `${name} for this site.`,
    author: `The ${name.split(/[ :]/, 1)[0] ?? name} Team`,
    versions: versions.split(' '),
    requiresPhp: '7.4',
    ageDays,
    ...more,
  };
}

export const CHILD_PLUGIN_FILE = 'mainwp-child/mainwp-child.php';
export const REPORTS_PLUGIN_FILE = 'mainwp-child-reports/mainwp-child-reports.php';
export const CACHE_PLUGIN_FILE = 'wp-super-cache/wp-cache.php';

export const CHILD_PLUGIN = definePlugin(CHILD_PLUGIN_FILE, 'MainWP Child', '6.1', 12, {
  description:
    'Provides a secure connection between your MainWP Dashboard and your WordPress sites. MainWP allows you to manage WP sites from one central location. Plugin documentation and options can be found here https://docs.mainwp.com/.',
  author: 'MainWP',
});
export const HELLO_DOLLY_PLUGIN = definePlugin('hello.php', 'Hello Dolly', '1.7.2', 1400, {
  description:
    'When activated you will randomly see a lyric from <cite>Hello, Dolly</cite> in the upper right of your admin screen on every page.',
});
export const REPORTS_PLUGIN = definePlugin(REPORTS_PLUGIN_FILE, 'MainWP Child Reports', '2.2.5 2.2.6', 200);
export const MUST_USE_PLUGIN = definePlugin('fleet-defaults.php', 'Fleet defaults (mu)', '1.0', 20, {
  description: 'Settings this agency gives to all its sites.',
});

export const PLUGINS: readonly PluginDefinition[] = [
  definePlugin('akismet/akismet.php', 'Akismet Anti-spam: Spam Protection', '5.3 5.5 5.7', 40, {
    description: 'Used by millions to <strong>protect your blog from spam</strong>.',
  }),
  definePlugin('wordpress-seo/wp-seo.php', 'Yoast SEO', '25.9 26.1 26.4', 6),
  definePlugin('woocommerce/woocommerce.php', 'WooCommerce', '10.1.2 10.2.0 10.3.5', 9),
  definePlugin('contact-form-7/wp-contact-form-7.php', 'Contact Form 7', '6.0.6 6.1.1 6.1.3', 31),
  definePlugin('elementor/elementor.php', 'Elementor', '3.31.0 3.32.4 3.33.1', 4),
  definePlugin('wordfence/wordfence.php', 'Wordfence Security', '8.0.5 8.1.0', 25),
  definePlugin(CACHE_PLUGIN_FILE, 'WP Super Cache', '2.0.1 3.0.1', 90),
  definePlugin('jetpack/jetpack.php', 'Jetpack', '15.0 15.1 15.2', 11),
  definePlugin('classic-editor/classic-editor.php', 'Classic Editor', '1.6.5 1.6.7', 300),
  definePlugin('updraftplus/updraftplus.php', 'UpdraftPlus - Backup/Restore', '1.25.6 1.25.8', 30),
  definePlugin('redirection/redirection.php', 'Redirection', '5.4.2 5.5.2', 120),
  definePlugin('advanced-custom-fields/acf.php', 'Advanced Custom Fields', '6.4.3 6.5.1 6.6.0', 15),
  definePlugin('duplicate-post/duplicate-post.php', 'Yoast Duplicate Post', '4.4 4.5', 400),
  definePlugin('really-simple-ssl/rlrsssl-really-simple-ssl.php', 'Really Simple Security', '9.4.2 9.5.3', 17),
  definePlugin('wp-mail-smtp/wp_mail_smtp.php', 'WP Mail SMTP', '4.5.0 4.6.0', 45),
  definePlugin('litespeed-cache/litespeed-cache.php', 'LiteSpeed Cache', '7.4 7.6.2', 22, { requiresPhp: '7.2' }),
  definePlugin('polylang/polylang.php', 'Polylang', '3.7.3 3.7.4', 60),
  definePlugin('regenerate-thumbnails/regenerate-thumbnails.php', 'Regenerate Thumbnails', '3.1.6', 760),
  definePlugin('wp-pagenavi/wp-pagenavi.php', 'WP-PageNavi', '2.94.1 2.94.5', 560),
  definePlugin('simple-301-redirects/wp-simple-301-redirects.php', 'Simple 301 Redirects', '2.0.7 2.0.9', 900),
  definePlugin('old-gallery/old-gallery.php', 'Old Gallery & "Slides"', '1.1 1.2', 1500),
  definePlugin('vergessene-galerie/galerie.php', 'Vergeßne Galerie', '0.9 1.0', 2300),
  definePlugin('modern-blocks/modern-blocks.php', 'Modern Blocks', '1.0.0 2.0.0', 8, { requiresPhp: '8.3' }),
  definePlugin('limit-login-attempts/limit-login.php', 'Limit Login Attempts', '2.26.20 2.26.25', 18),
];

function defineTheme(
  stylesheet: string,
  name: string,
  versions: string,
  ageDays = 50,
  parent?: string,
): ThemeDefinition {
  const description = `${name} is a theme for websites of every size.`;
  return {
    stylesheet,
    name,
    description,
    versions: versions.split(' '),
    ageDays,
    ...(parent === undefined ? {} : { parent }),
  };
}

/**
 * Default themes of WordPress. One of them may be installed without being active: that is no security issue (protocol
 * 4.7).
 */
export const DEFAULT_THEMES: readonly ThemeDefinition[] = [
  defineTheme('twentytwentyfive', 'Twenty Twenty-Five', '1.3 1.4 1.5'),
  defineTheme('twentytwentyfour', 'Twenty Twenty-Four', '1.3 1.4', 100),
  defineTheme('twentytwentythree', 'Twenty Twenty-Three', '1.6', 420),
  defineTheme('twentytwentytwo', 'Twenty Twenty-Two', '1.9 2.0', 800),
];

export const THEMES: readonly ThemeDefinition[] = [
  defineTheme('astra', 'Astra', '4.11.5 4.11.13'),
  defineTheme('generatepress', 'GeneratePress', '3.5.1 3.6.0', 130),
  defineTheme('neve', 'Neve', '4.0.2 4.1.4', 35),
  defineTheme('altstadt', 'Altstadt', '1.0', 1900),
];

export const CHILD_THEMES: readonly ThemeDefinition[] = [
  defineTheme('astra-child', 'Astra Child', '1.0.0', 0, 'astra'),
  defineTheme('generatepress-child', 'GeneratePress Child', '1.0.0', 0, 'generatepress'),
];

export function pluginForPackage(folder: string, version: string): PluginDefinition {
  const known = [...PLUGINS, REPORTS_PLUGIN, HELLO_DOLLY_PLUGIN].find((definition) =>
    definition.file.startsWith(`${folder}/`),
  );
  return known ?? definePlugin(`${folder}/${folder}.php`, nameFromFolder(folder), version);
}

export function themeForPackage(folder: string, version: string): ThemeDefinition {
  const known = [...DEFAULT_THEMES, ...THEMES, ...CHILD_THEMES].find((item) => item.stylesheet === folder);
  return known ?? defineTheme(folder, nameFromFolder(folder), version);
}

function nameFromFolder(folder: string): string {
  const words = folder.replace(/[-_]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function latestVersion(versions: readonly string[]): string {
  return versions[versions.length - 1] ?? '';
}
