import { createHash } from 'node:crypto';
import {
  CACHE_PLUGIN_FILE,
  CHILD_PLUGIN,
  CHILD_THEMES,
  DEFAULT_THEMES,
  HELLO_DOLLY_PLUGIN,
  MUST_USE_PLUGIN,
  PLUGINS,
  REPORTS_PLUGIN,
  THEMES,
  latestVersion,
} from './catalogue.ts';
import { generateContent } from './generate-content.ts';
import { generateMaintenanceRecords, generateShop } from './generate-history.ts';
import { randomFrom, type Random } from './random.ts';
import type { Plugin, PluginDefinition, SiteState, Theme, ThemeDefinition, Translation } from './site-state.ts';

const DAY = 86_400;
const CORE_VERSIONS = ['6.8.3', '6.9.7', '7.0.3', '7.0.4'] as const;
const PHP_VERSIONS = ['7.4.33', '8.1.33', '8.2.35', '8.2.35', '8.3.27', '8.4.14'] as const;
const LANGUAGES = ['en_US', 'en_US', 'en_US', 'de_DE', 'fr_FR', 'es_ES'] as const;

export interface SiteGenerationOptions {
  seed: number;
  index: number;
  /** Unix time in milliseconds. All generated times lie before it. */
  now: number;
  admin: string;
  adminPassword: string;
}

export function adminPasswordOf(seed: number, index: number): string {
  const digest = createHash('sha256').update(`sandbox ${seed} ${index}`).digest('base64url');
  return `pw-${digest.replace(/[-_]/g, '').slice(0, 16)}`;
}

/** Depends only on `origin`, so a fleet is the same in every run. */
export function generateSite(origin: SiteGenerationOptions): SiteState {
  const random = randomFrom(origin.seed, origin.index);
  const now = Math.floor(origin.now / 1000);
  const coreVersion = random.pick(CORE_VERSIONS);
  const newest = latestVersion(CORE_VERSIONS);
  const plugins = generatePlugins(random);
  const { themes, activeTheme } = generateThemes(random);
  const language = random.pick(LANGUAGES);
  const title = `Site ${origin.index}`;
  return {
    connection: { publicKey: null, server: '', connectedAdmin: '', signAlgo: 0 },
    childActive: true,
    childVersion: latestVersion(CHILD_PLUGIN.versions),
    uniqueId: '',
    syncdata: null,
    recentNumber: 5,
    title,
    core: {
      version: coreVersion,
      update: coreVersion === newest ? null : newest,
      offersReachable: true,
      locked: false,
    },
    phpVersion: random.pick(PHP_VERSIONS),
    debug: random.chance(0.2),
    hasTrash: true,
    memoryLimit: random.pick(['128M', '256M', '512M']),
    mysqlVersion: random.pick(['10.11.19-MariaDB-0+deb12u1', '8.0.43', '11.8.2-MariaDB']),
    language,
    hosting: generateHosting(random),
    databaseBytes: random.between(300_000, 90_000_000),
    iconUrl: random.chance(0.3) ? 'wp-content/uploads/2026/01/icon.png' : '',
    health: random.chance(0.2)
      ? { good: 0, recommended: 0, critical: 0 }
      : { good: random.between(10, 20), recommended: random.between(0, 8), critical: random.between(0, 3) },
    hardening: {
      db_reporting: { good: random.chance(0.9), fixed: false },
      php_reporting: { good: random.chance(0.7), fixed: false },
    },
    plugins,
    activeWithoutFiles: new Set(),
    themes,
    activeTheme,
    autoUpdates: { plugin: new Set(), theme: new Set() },
    translations: generateTranslations(random, language, plugins, coreVersion),
    abandoned: generateAbandoned(random),
    ...generateContent(random, { ...origin, now, title }),
    actions: [],
    changes: [],
    nextChangeId: 1,
    ignoredChanges: [],
    reports: plugins.has(REPORTS_PLUGIN.file)
      ? [...generateReports(random, plugins, now, origin.admin), ...generateMaintenanceRecords(plugins, now)]
      : [],
    fendedOff: [],
    shop: plugins.get('woocommerce/woocommerce.php')?.active ? generateShop(now) : null,
    cachePurgedAt: 0,
    cacheLog: '',
    passwordPolicy: {
      max_age_days: '0',
      policy_enabled_at: null,
      due_soon_days: '7',
      due_soon_message: '',
      overdue_message: '',
      show_notices_to: 'edit_posts',
    },
    backups: new Map(),
    lastBackups: new Map(),
    uploads: new Set(),
    guardFiles: new Map(),
    leftovers: { revisions: [4, 3, 3], autoDrafts: 1, emptyCategories: 1, emptyTags: 1 },
  };
}

/**
 * Generates the cache of the check for abandoned plugins. On most sites the check has run. New sites first return an
 * empty cache (protocol 4.1).
 */
function generateAbandoned(random: Random): SiteState['abandoned'] {
  const checked = random.chance(0.8);
  return { days: 365, pluginsChecked: checked, themesChecked: checked };
}

function generateHosting(random: Random): SiteState['hosting'] {
  if (random.chance(0.08)) return { wpe: 1, wphost: '' };
  return { wpe: 0, wphost: random.chance(0.08) ? random.pick(['flywheel', 'pressable']) : '' };
}

function generatePlugins(random: Random): Map<string, Plugin> {
  const plugins = new Map<string, Plugin>();
  const add = (definition: PluginDefinition, active: boolean, outdated: boolean, mu = false): void => {
    const newest = latestVersion(definition.versions);
    const older = definition.versions[random.between(0, Math.max(0, definition.versions.length - 2))] ?? newest;
    const version = outdated ? older : newest;
    plugins.set(definition.file, { definition, version, active, update: version === newest ? null : newest, mu });
  };
  for (const definition of random.some(PLUGINS, random.between(4, 16))) {
    add(definition, random.chance(0.8), random.chance(0.35));
  }
  add(HELLO_DOLLY_PLUGIN, random.chance(0.2), false);
  add(CHILD_PLUGIN, true, false);
  if (random.chance(0.3)) add(REPORTS_PLUGIN, true, random.chance(0.5));
  if (random.chance(0.2)) add(MUST_USE_PLUGIN, true, false, true);
  return new Map([...plugins].sort(([, left], [, right]) => compare(left.definition.name, right.definition.name)));
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function generateThemes(random: Random): { themes: Map<string, Theme>; activeTheme: string } {
  const chosen = random.some(DEFAULT_THEMES, random.between(2, 4));
  const extra = random.some(THEMES, random.between(1, 2));
  const childTheme = random.chance(0.3) ? random.pick(CHILD_THEMES) : undefined;
  const definitions = new Map<string, ThemeDefinition>();
  for (const definition of [...chosen, ...extra]) definitions.set(definition.stylesheet, definition);
  if (childTheme !== undefined) {
    const parent = THEMES.find((item) => item.stylesheet === childTheme.parent);
    if (parent !== undefined) definitions.set(parent.stylesheet, parent);
    definitions.set(childTheme.stylesheet, childTheme);
  }
  const themes = new Map<string, Theme>();
  for (const [stylesheet, definition] of [...definitions].sort(([left], [right]) => compare(left, right))) {
    const newest = latestVersion(definition.versions);
    const outdated = definition.versions.length > 1 && random.chance(0.4);
    const version = outdated ? (definition.versions[0] ?? newest) : newest;
    themes.set(stylesheet, { definition, version, update: version === newest ? null : newest });
  }
  const activeTheme = childTheme?.stylesheet ?? random.pick([...chosen, ...extra]).stylesheet;
  return { themes, activeTheme };
}

function generateTranslations(
  random: Random,
  language: string,
  plugins: Map<string, Plugin>,
  coreVersion: string,
): Translation[] {
  if (language === 'en_US') return [];
  const translations: Translation[] = [];
  if (random.chance(0.5)) {
    translations.push({ type: 'core', slug: 'default', language, version: coreVersion, name: 'WordPress core' });
  }
  const candidates = [...plugins.values()].filter((item) => item.definition.file.includes('/') && !item.mu);
  for (const item of random.some(candidates, random.between(0, 3))) {
    const slug = item.definition.file.split('/', 1)[0] ?? '';
    const entry = { type: 'plugin' as const, slug, version: item.version, name: item.definition.name };
    translations.push({ ...entry, language });
    if (random.chance(0.3)) translations.push({ ...entry, language: 'it_IT' });
  }
  return translations;
}

function generateReports(
  random: Random,
  plugins: Map<string, Plugin>,
  now: number,
  admin: string,
): SiteState['reports'] {
  return [...plugins.values()]
    .filter((item) => item.definition.versions.length > 1 && item.definition.file !== CACHE_PLUGIN_FILE)
    .slice(0, 6)
    .map((item) => ({
      at: now - random.between(1, 60) * DAY - random.between(0, DAY - 1),
      context: 'plugin',
      action: random.chance(0.7) ? 'updated' : 'activated',
      author: admin,
      values: {
        name: item.definition.name,
        slug: item.definition.file,
        'old.version': item.definition.versions[0] ?? '',
        'current.version': item.version,
      },
    }))
    .sort((left, right) => left.at - right.at);
}
