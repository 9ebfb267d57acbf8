import type { PluginDefinition, ThemeDefinition } from './types.ts';

/**
 * Defines a plugin of the simulated sites. Names and file names are those of well-known plugins and themes, so that
 * lists look realistic. Versions, ages and descriptions are invented.
 */
function plugin(
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

export const CHILD_PLUGIN = plugin(CHILD_PLUGIN_FILE, 'MainWP Child', '6.1', 12, {
  description:
    'Provides a secure connection between your MainWP Dashboard and your WordPress sites. MainWP allows you to manage WP sites from one central location. Plugin documentation and options can be found here https://docs.mainwp.com/.',
  author: 'MainWP',
});
export const HELLO_DOLLY_PLUGIN = plugin('hello.php', 'Hello Dolly', '1.7.2', 1400, {
  description:
    'When activated you will randomly see a lyric from <cite>Hello, Dolly</cite> in the upper right of your admin screen on every page.',
});
export const REPORTS_PLUGIN = plugin(REPORTS_PLUGIN_FILE, 'MainWP Child Reports', '2.2.5 2.2.6', 200);
export const MUST_USE_PLUGIN = plugin('fleet-defaults.php', 'Fleet defaults (mu)', '1.0', 20, {
  description: 'Settings this agency gives to all its sites.',
});

export const PLUGINS: readonly PluginDefinition[] = [
  plugin('akismet/akismet.php', 'Akismet Anti-spam: Spam Protection', '5.3 5.5 5.7', 40, {
    description: 'Used by millions to <strong>protect your blog from spam</strong>.',
  }),
  plugin('wordpress-seo/wp-seo.php', 'Yoast SEO', '25.9 26.1 26.4', 6),
  plugin('woocommerce/woocommerce.php', 'WooCommerce', '10.1.2 10.2.0 10.3.5', 9),
  plugin('contact-form-7/wp-contact-form-7.php', 'Contact Form 7', '6.0.6 6.1.1 6.1.3', 31),
  plugin('elementor/elementor.php', 'Elementor', '3.31.0 3.32.4 3.33.1', 4),
  plugin('wordfence/wordfence.php', 'Wordfence Security', '8.0.5 8.1.0', 25),
  plugin(CACHE_PLUGIN_FILE, 'WP Super Cache', '2.0.1 3.0.1', 90),
  plugin('jetpack/jetpack.php', 'Jetpack', '15.0 15.1 15.2', 11),
  plugin('classic-editor/classic-editor.php', 'Classic Editor', '1.6.5 1.6.7', 300),
  plugin('updraftplus/updraftplus.php', 'UpdraftPlus - Backup/Restore', '1.25.6 1.25.8', 30),
  plugin('redirection/redirection.php', 'Redirection', '5.4.2 5.5.2', 120),
  plugin('advanced-custom-fields/acf.php', 'Advanced Custom Fields', '6.4.3 6.5.1 6.6.0', 15),
  plugin('duplicate-post/duplicate-post.php', 'Yoast Duplicate Post', '4.4 4.5', 400),
  plugin('really-simple-ssl/rlrsssl-really-simple-ssl.php', 'Really Simple Security', '9.4.2 9.5.3', 17),
  plugin('wp-mail-smtp/wp_mail_smtp.php', 'WP Mail SMTP', '4.5.0 4.6.0', 45),
  plugin('litespeed-cache/litespeed-cache.php', 'LiteSpeed Cache', '7.4 7.6.2', 22, { requiresPhp: '7.2' }),
  plugin('polylang/polylang.php', 'Polylang', '3.7.3 3.7.4', 60),
  plugin('regenerate-thumbnails/regenerate-thumbnails.php', 'Regenerate Thumbnails', '3.1.6', 760),
  plugin('wp-pagenavi/wp-pagenavi.php', 'WP-PageNavi', '2.94.1 2.94.5', 560),
  plugin('simple-301-redirects/wp-simple-301-redirects.php', 'Simple 301 Redirects', '2.0.7 2.0.9', 900),
  plugin('old-gallery/old-gallery.php', 'Old Gallery & "Slides"', '1.1 1.2', 1500),
  plugin('vergessene-galerie/galerie.php', 'Vergeßne Galerie', '0.9 1.0', 2300),
  plugin('modern-blocks/modern-blocks.php', 'Modern Blocks', '1.0.0 2.0.0', 8, { requiresPhp: '8.3' }),
  plugin('limit-login-attempts/limit-login.php', 'Limit Login Attempts', '2.26.20 2.26.25', 18),
];

function theme(stylesheet: string, name: string, versions: string, ageDays = 50, parent?: string): ThemeDefinition {
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

/** Default themes of WordPress. One inactive theme of these is not a security issue (protocol 4.7). */
export const DEFAULT_THEMES: readonly ThemeDefinition[] = [
  theme('twentytwentyfive', 'Twenty Twenty-Five', '1.3 1.4 1.5'),
  theme('twentytwentyfour', 'Twenty Twenty-Four', '1.3 1.4', 100),
  theme('twentytwentythree', 'Twenty Twenty-Three', '1.6', 420),
  theme('twentytwentytwo', 'Twenty Twenty-Two', '1.9 2.0', 800),
];

export const THEMES: readonly ThemeDefinition[] = [
  theme('astra', 'Astra', '4.11.5 4.11.13'),
  theme('generatepress', 'GeneratePress', '3.5.1 3.6.0', 130),
  theme('neve', 'Neve', '4.0.2 4.1.4', 35),
  theme('altstadt', 'Altstadt', '1.0', 1900),
];

export const CHILD_THEMES: readonly ThemeDefinition[] = [
  theme('astra-child', 'Astra Child', '1.0.0', 0, 'astra'),
  theme('generatepress-child', 'GeneratePress Child', '1.0.0', 0, 'generatepress'),
];

export function pluginForPackage(folder: string, version: string): PluginDefinition {
  const known = [...PLUGINS, REPORTS_PLUGIN, HELLO_DOLLY_PLUGIN].find((definition) =>
    definition.file.startsWith(`${folder}/`),
  );
  return known ?? plugin(`${folder}/${folder}.php`, nameOf(folder), version);
}

export function themeForPackage(folder: string, version: string): ThemeDefinition {
  const known = [...DEFAULT_THEMES, ...THEMES, ...CHILD_THEMES].find((item) => item.stylesheet === folder);
  return known ?? theme(folder, nameOf(folder), version);
}

function nameOf(folder: string): string {
  const words = folder.replace(/[-_]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function latest(versions: readonly string[]): string {
  return versions[versions.length - 1] ?? '';
}
