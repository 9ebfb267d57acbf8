import { generateKeyPairSync } from 'node:crypto';
import type { Fault, SimulatedSite } from '../../src/sandbox/index.ts';

/** What a caller is told, as protocol 5.3 tells the faults apart; null where the fault does no harm. */
export type Told = { status: number; code: string; layer?: string; reason?: string } | null;

export interface FaultCase {
  name: string;
  lay: (site: SimulatedSite, elsewhere: string) => void;
  call: Told;
  /** Where adding, or connecting anew, ends otherwise. */
  add?: Told;
  reconnect?: Told;
  /** What a check of the web server finds by HEAD, which sees no body; 0 is no answer. */
  check: number;
  /** Whether a site that is deleted can still be told. */
  tells?: true;
  /** The web server refuses before anything runs: a changing call is tried at the other address of the site as well. */
  ahead?: true;
  /** The call ends without an end of the work: what came of a change cannot be known while the site is silent. */
  open?: true;
  /** Only seen at the deadline. */
  slow?: true;
}

const unreachable = (layer: string): Told => ({ status: 503, code: 'svc_site_unreachable', layer });
const refused = (layer: string, reason: string): Told => ({ status: 502, code: 'svc_site_refused', layer, reason });
const nonsense: Told = { status: 502, code: 'svc_site_bad_answer', layer: 'protocol' };
const outdated: Told = { status: 409, code: 'svc_child_outdated' };
const missing = refused('wordpress', 'plugin_missing');
const crashed = refused('wordpress', 'site_fatal');
const blocked = refused('http', 'blocked');
const aborted = refused('wordpress', 'aborted');
const nowhere = refused('http', 'no_wordpress');

const meets =
  (fault: Fault) =>
  (site: SimulatedSite): void => {
    site.fault = fault;
  };

const redirects = ([301, 302, 303, 307, 308] as const).map((status): FaultCase => ({
  name: `redirect ${status} elsewhere`,
  lay: (site, elsewhere) => (site.fault = { kind: 'redirect', status, location: elsewhere }),
  call: refused('http', 'redirected'),
  check: 200,
  ahead: true,
}));

const challenges = [403, 406, 429, 503].map((status): FaultCase => ({
  name: `challenge ${status}`,
  lay: meets({ kind: 'challenge', status }),
  call: blocked,
  check: status,
  ...(status !== 503 && { ahead: true }),
}));

const scalars = [null, true, 0, 7, '', 'text'].map((value): FaultCase => ({
  name: `scalar ${JSON.stringify(value)}`,
  lay: meets({ kind: 'scalar', value }),
  call: nonsense,
  check: 200,
}));

const forged = [{}, [], { error: {} }, { error: null }, { version: {} }, { status: 'SUCCESS' }].map(
  (answer): FaultCase => ({
    name: `forged ${JSON.stringify(answer)}`,
    lay: meets({ kind: 'forged', answer }),
    call: nonsense,
    check: 200,
  }),
);

export const FAULTS: FaultCase[] = [
  { name: 'no fault', lay: () => undefined, call: null, check: 200, tells: true },
  { name: 'refuse', lay: meets({ kind: 'refuse' }), call: unreachable('http'), check: 0, open: true },
  { name: 'hang', lay: meets({ kind: 'hang' }), call: unreachable('http'), check: 0, open: true, slow: true },
  {
    name: 'drip',
    lay: meets({ kind: 'drip', bytes: 1, everyMs: 100 }),
    call: unreachable('http'),
    check: 200,
    open: true,
    slow: true,
  },
  {
    name: 'basic',
    lay: meets({ kind: 'basic', user: 'staging', password: 'x' }),
    call: blocked,
    check: 401,
    ahead: true,
  },
  ...challenges,
  { name: 'fatal before', lay: meets({ kind: 'fatal', when: 'before' }), call: crashed, check: 500 },
  { name: 'fatal after', lay: meets({ kind: 'fatal', when: 'after' }), call: crashed, check: 500 },
  ...redirects,
  { name: 'cut', lay: meets({ kind: 'cut' }), call: unreachable('http'), check: 200, open: true },
  { name: 'huge', lay: meets({ kind: 'huge', bytes: 40 * 1024 * 1024 }), call: nonsense, check: 200 },
  { name: 'invalid-base64', lay: meets({ kind: 'invalid-base64' }), call: nonsense, check: 200 },
  { name: 'invalid-json', lay: meets({ kind: 'invalid-json' }), call: nonsense, check: 200 },
  ...scalars,
  ...forged,
  {
    name: 'two-frames',
    lay: meets({ kind: 'two-frames', forged: { error: 'forged', error_code: 'reconnect_failed' } }),
    call: null,
    check: 200,
    tells: true,
  },
  { name: 'noise', lay: meets({ kind: 'noise', text: '<p>x</p><mainwp>' }), call: null, check: 200, tells: true },
  { name: 'gzip', lay: meets({ kind: 'gzip' }), call: nonsense, check: 200 },
  { name: 'HTML page', lay: meets({ kind: 'raw', status: 200, body: '<html></html>' }), call: missing, check: 200 },
  {
    name: 'empty page',
    lay: meets({ kind: 'raw', status: 200, body: '' }),
    call: unreachable('http'),
    check: 200,
    open: true,
  },
  { name: 'bare text', lay: meets({ kind: 'raw', status: 200, body: 'Not today.' }), call: aborted, check: 200 },
  { name: 'no plugin', lay: meets({ kind: 'raw', status: 400, body: '0' }), call: missing, check: 400 },
  { name: 'no WordPress', lay: meets({ kind: 'raw', status: 404, body: 'x' }), call: nowhere, check: 404, ahead: true },
  // Of the pages that real servers show (protocol 5.4).
  ...([403, 401, 404, 429, 301] as const).map((status): FaultCase => ({
    name: `admin-ajax.php closed with ${status}`,
    lay: meets({ kind: 'closed-ajax', status }),
    call: null,
    check: 200,
    tells: true,
    ahead: true,
  })),
  { name: 'maintenance', lay: meets({ kind: 'maintenance' }), call: refused('wordpress', 'maintenance'), check: 503 },
  ...(['missing', 'refused'] as const).map((because): FaultCase => ({
    name: `database ${because}`,
    lay: meets({ kind: 'database', because }),
    call: refused('wordpress', 'database_error'),
    check: 500,
  })),
  {
    name: 'not installed',
    lay: meets({ kind: 'not-installed' }),
    call: refused('wordpress', 'not_installed'),
    check: 200,
  },
  {
    name: 'PHP down',
    lay: meets({ kind: 'php-down' }),
    call: refused('http', 'bad_gateway'),
    check: 502,
    open: true,
  },
  {
    name: 'gateway time-out',
    lay: meets({ kind: 'raw', status: 504, body: '<h1>504 Gateway Time-out</h1>' }),
    call: refused('http', 'gateway_timeout'),
    check: 504,
    open: true,
  },
  {
    name: 'body too large for the web server',
    lay: meets({ kind: 'too-large', bytes: 8, by: 'server' }),
    call: refused('http', 'request_too_large'),
    check: 200,
  },
  { name: 'static server', lay: meets({ kind: 'no-wordpress' }), call: nowhere, check: 403, ahead: true },
  {
    name: 'WordPress in another folder',
    lay: meets({ kind: 'no-wordpress', subfolder: true }),
    call: nowhere,
    check: 200,
    ahead: true,
  },
  {
    name: 'child plugin inactive',
    lay: (site) => site.performWpAdminAction({ do: 'deactivate-child' }),
    call: missing,
    check: 200,
  },
  ...(['demoted', 'deleted'] as const).flatMap((what) =>
    [false, true].map((translated): FaultCase => ({
      name: `administrator ${what}${translated ? ', in another language' : ''}`,
      lay: (site) => {
        site.translated = translated;
        if (what === 'demoted') site.performWpAdminAction({ do: 'change-role', user: site.admin, role: 'editor' });
        else site.performWpAdminAction({ do: 'delete-user', user: site.admin });
      },
      call: refused('auth', what === 'demoted' ? 'not_admin' : 'unknown_user'),
      add: refused('auth', what === 'demoted' ? 'not_admin' : 'bad_password'),
      reconnect: refused('auth', what === 'demoted' ? 'not_admin' : 'bad_password'),
      check: 200,
    })),
  ),
  {
    name: 'old child plugin',
    lay: (site) => site.setChildVersion('3.9'),
    call: outdated,
    check: 200,
    tells: true,
  },
  {
    name: 'lost key',
    lay: (site) => site.loseKey(),
    call: refused('auth', 'not_connected'),
    add: null,
    reconnect: null,
    check: 200,
  },
  {
    name: 'another key',
    lay: (site) => site.replaceKey(otherKey()),
    call: refused('auth', 'key_mismatch'),
    add: refused('auth', 'already_connected'),
    reconnect: refused('auth', 'already_connected'),
    check: 200,
  },
];

let kept: string | undefined;
function otherKey(): string {
  kept ??= generateKeyPairSync('rsa', { modulusLength: 2048 })
    .publicKey.export({ type: 'spki', format: 'pem' })
    .toString();
  return kept;
}
