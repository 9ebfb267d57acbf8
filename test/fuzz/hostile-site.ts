import type { Fault, SimulatedSite } from '../../src/sandbox/index.ts';
import { HOSTILE_VALUES } from './schemas.ts';

const LONG = 'x'.repeat(100_000);
const HTML = '<img src=x onerror=alert(1)><script>alert(1)</script>';
const parseJson = (text: string): unknown => JSON.parse(text) as unknown;

/** Longer than any column. */
const WIDE = 'x'.repeat(1_000);
const NAMES = ['__proto__', 'constructor', HTML, WIDE, '', 'a|b', 'ü\u202e\u0000', '../../x.php', "x'y"];
/** These names make a report of several megabytes, which is slow. */
const VAST_NAMES = [...NAMES, LONG];

function report(text: unknown, names: readonly string[] = NAMES): Record<string, unknown> {
  const item = (slug: unknown) => ({
    slug,
    name: text,
    Name: text,
    version: text,
    Version: text,
    active: '1',
    mu: text,
    mainwp: text,
  });
  const update = { Name: text, Version: text, update: { new_version: text, url: text } };
  const map = (value: unknown) => ({
    ...(parseJson(`{"__proto__":${JSON.stringify(value)}}`) as object),
    ...Object.fromEntries(names.map((name) => [name, value])),
  });
  return {
    version: '6.1',
    wpversion: text,
    siteurl: text,
    site_info: { phpversion: text, child_version: text, themeactivated: text },
    wp_updates: text,
    plugins: [...names.map(item), item(text), text, null],
    themes: [...names.map(item), item(text), text, null],
    plugin_updates: map(update),
    theme_updates: map(update),
    premium_updates: map({ ...update, type: text }),
    translation_updates: [{ type: text, slug: text, language: text, version: text, name: text }, text],
    securityStats: map(text),
    health_site_status: { good: text, recommended: -1e308, critical: 1e308 },
    plugins_outdate_info: map({ Name: text, Version: text, last_updated: text }),
    themes_outdate_info: map({ Name: text, Version: text, last_updated: 4_000_000_000 }),
    child_site_actions_data: map({
      context: text,
      action: text,
      created: 1_795_235_477,
      summary: text,
      meta_data: text,
    }),
    changes_logs_data: map({
      id: text,
      created_on: '1795235417.7',
      context: text,
      action_name: text,
      username: text,
      meta_data: text,
    }),
    regverify: text,
    regverify_info: text,
    uniqueId: text,
    register: 'OK',
    user: text,
    admin_nicename: text,
    admin_useremail: text,
    status: 'SUCCESS',
    data: [text],
    deactivated: true,
  };
}

/** All hostile responses: malformed data inside and outside of the expected format. */
export const HOSTILE_FAULTS: Fault[] = [
  ...HOSTILE_VALUES.map((text): Fault => ({ kind: 'forged', answer: report(text) })),
  ...[HTML, LONG, 9e99, parseJson('{"__proto__":{"a":1}}')].map((text): Fault => ({
    kind: 'forged',
    answer: { ...report(text, VAST_NAMES), sync: report(text, VAST_NAMES), other_data: text },
  })),
  ...HOSTILE_VALUES.slice(0, 30).map((error): Fault => ({ kind: 'forged', answer: { error, error_code: error } })),
  ...HOSTILE_VALUES.map((answer): Fault => ({ kind: 'forged', answer })),
  { kind: 'forged', answer: { ...report('1'), version: LONG, wpversion: '9'.repeat(5_000) } },
  { kind: 'raw', status: 200, body: `<mainwp>${'['.repeat(100_000)}</mainwp>` },
  { kind: 'raw', status: 200, body: `<mainwp>${Buffer.from('['.repeat(100_000)).toString('base64')}</mainwp>` },
  { kind: 'raw', status: 200, body: '<mainwp></mainwp>'.repeat(1_000) },
  { kind: 'raw', status: 999, body: HTML, headers: { 'set-cookie': `${LONG.slice(0, 9_000)}=1; Domain=.com` } },
  { kind: 'raw', status: 302, body: '', headers: { location: 'javascript:alert(1)' } },
  { kind: 'raw', status: 302, body: '', headers: { location: 'http://169.254.169.254/latest/' } },
  { kind: 'noise', text: HTML },
  { kind: 'cut' },
  { kind: 'gzip' },
  { kind: 'refuse' },
];

let turn = 0;

/** Sets the next response of the site. Every fourth one is honest, so that the site is soon connected again. */
export function setNextHostileFault(site: SimulatedSite): void {
  turn += 1;
  site.fault = turn % 4 === 0 ? null : (HOSTILE_FAULTS[turn % HOSTILE_FAULTS.length] ?? null);
}
