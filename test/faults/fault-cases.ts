import { generateKeyPairSync } from 'node:crypto';
import type { Fault, SimulatedSite } from '../../src/sandbox/index.ts';

/** Expected error, by the kinds of faults in protocol 5.3. Null if the fault does no harm. */
export type ExpectedError = { status: number; code: string; layer?: string; reason?: string } | null;

export interface FaultCase {
  name: string;
  apply: (site: SimulatedSite, elsewhere: string) => void;
  call: ExpectedError;
  /** Expected errors of `add-site-v1` and of reconnects, if they differ from `call`. */
  add?: ExpectedError;
  reconnect?: ExpectedError;
  /** Status of a check by HEAD, which receives no body. 0 means no response. */
  check: number;
  /** True if a site that is deleted can still be notified. */
  canBeNotified?: true;
  /** True if the web server rejects calls before WordPress runs. Changes are then tried at the other address too. */
  isBeforeWordPress?: true;
  /** True if a call ends before its work does. The outcome is unknown while the site does not respond. */
  isOutcomeUnknown?: true;
  /** True if only the deadline ends a call. */
  isTimeout?: true;
}

const unreachable = (layer: string): ExpectedError => ({ status: 503, code: 'svc_site_unreachable', layer });
const refusedBySite = (layer: string, reason: string): ExpectedError => ({
  status: 502,
  code: 'svc_site_refused',
  layer,
  reason,
});
const badAnswer: ExpectedError = { status: 502, code: 'svc_site_bad_answer', layer: 'protocol' };
const outdated: ExpectedError = { status: 409, code: 'svc_child_outdated' };
const missing = refusedBySite('wordpress', 'plugin_missing');
const crashed = refusedBySite('wordpress', 'site_fatal');
const blocked = refusedBySite('http', 'blocked');
const aborted = refusedBySite('wordpress', 'aborted');
const noWordPress = refusedBySite('http', 'no_wordpress');

const setFault =
  (fault: Fault) =>
  (site: SimulatedSite): void => {
    site.fault = fault;
  };

const redirects = ([301, 302, 303, 307, 308] as const).map((status): FaultCase => ({
  name: `redirect ${status} elsewhere`,
  apply: (site, elsewhere) => (site.fault = { kind: 'redirect', status, location: elsewhere }),
  call: refusedBySite('http', 'redirected'),
  check: 200,
  isBeforeWordPress: true,
}));

const challenges = [403, 406, 429, 503].map((status): FaultCase => ({
  name: `challenge ${status}`,
  apply: setFault({ kind: 'challenge', status }),
  call: blocked,
  check: status,
  ...(status !== 503 && { isBeforeWordPress: true }),
}));

const scalars = [null, true, 0, 7, '', 'text'].map((value): FaultCase => ({
  name: `scalar ${JSON.stringify(value)}`,
  apply: setFault({ kind: 'scalar', value }),
  call: badAnswer,
  check: 200,
}));

const forged = [{}, [], { error: {} }, { error: null }, { version: {} }, { status: 'SUCCESS' }].map(
  (answer): FaultCase => ({
    name: `forged ${JSON.stringify(answer)}`,
    apply: setFault({ kind: 'forged', answer }),
    call: badAnswer,
    check: 200,
  }),
);

export const FAULT_CASES: FaultCase[] = [
  { name: 'no fault', apply: () => undefined, call: null, check: 200, canBeNotified: true },
  { name: 'refuse', apply: setFault({ kind: 'refuse' }), call: unreachable('http'), check: 0, isOutcomeUnknown: true },
  {
    name: 'hang',
    apply: setFault({ kind: 'hang' }),
    call: unreachable('http'),
    check: 0,
    isOutcomeUnknown: true,
    isTimeout: true,
  },
  {
    name: 'drip',
    apply: setFault({ kind: 'drip', bytes: 1, everyMs: 100 }),
    call: unreachable('http'),
    check: 200,
    isOutcomeUnknown: true,
    isTimeout: true,
  },
  {
    name: 'basic',
    apply: setFault({ kind: 'basic', user: 'staging', password: 'x' }),
    call: blocked,
    check: 401,
    isBeforeWordPress: true,
  },
  ...challenges,
  { name: 'fatal before', apply: setFault({ kind: 'fatal', when: 'before' }), call: crashed, check: 500 },
  { name: 'fatal after', apply: setFault({ kind: 'fatal', when: 'after' }), call: crashed, check: 500 },
  ...redirects,
  { name: 'cut', apply: setFault({ kind: 'cut' }), call: unreachable('http'), check: 200, isOutcomeUnknown: true },
  { name: 'huge', apply: setFault({ kind: 'huge', bytes: 40 * 1024 * 1024 }), call: badAnswer, check: 200 },
  { name: 'invalid-base64', apply: setFault({ kind: 'invalid-base64' }), call: badAnswer, check: 200 },
  { name: 'invalid-json', apply: setFault({ kind: 'invalid-json' }), call: badAnswer, check: 200 },
  ...scalars,
  ...forged,
  {
    name: 'two-frames',
    apply: setFault({ kind: 'two-frames', forged: { error: 'forged', error_code: 'reconnect_failed' } }),
    call: null,
    check: 200,
    canBeNotified: true,
  },
  {
    name: 'noise',
    apply: setFault({ kind: 'noise', text: '<p>x</p><mainwp>' }),
    call: null,
    check: 200,
    canBeNotified: true,
  },
  { name: 'gzip', apply: setFault({ kind: 'gzip' }), call: badAnswer, check: 200 },
  {
    name: 'HTML page',
    apply: setFault({ kind: 'raw', status: 200, body: '<html></html>' }),
    call: missing,
    check: 200,
  },
  {
    name: 'empty page',
    apply: setFault({ kind: 'raw', status: 200, body: '' }),
    call: unreachable('http'),
    check: 200,
    isOutcomeUnknown: true,
  },
  { name: 'bare text', apply: setFault({ kind: 'raw', status: 200, body: 'Not today.' }), call: aborted, check: 200 },
  { name: 'no plugin', apply: setFault({ kind: 'raw', status: 400, body: '0' }), call: missing, check: 400 },
  {
    name: 'no WordPress',
    apply: setFault({ kind: 'raw', status: 404, body: 'x' }),
    call: noWordPress,
    check: 404,
    isBeforeWordPress: true,
  },
  // Responses of real servers (protocol 5.4).
  ...([403, 401, 404, 429, 301] as const).map((status): FaultCase => ({
    name: `admin-ajax.php closed with ${status}`,
    apply: setFault({ kind: 'closed-ajax', status }),
    call: null,
    check: 200,
    canBeNotified: true,
    isBeforeWordPress: true,
  })),
  {
    name: 'maintenance',
    apply: setFault({ kind: 'maintenance' }),
    call: refusedBySite('wordpress', 'maintenance'),
    check: 503,
  },
  ...(['missing', 'refused'] as const).map((because): FaultCase => ({
    name: `database ${because}`,
    apply: setFault({ kind: 'database', because }),
    call: refusedBySite('wordpress', 'database_error'),
    check: 500,
  })),
  {
    name: 'not installed',
    apply: setFault({ kind: 'not-installed' }),
    call: refusedBySite('wordpress', 'not_installed'),
    check: 200,
  },
  {
    name: 'PHP down',
    apply: setFault({ kind: 'php-down' }),
    call: refusedBySite('http', 'bad_gateway'),
    check: 502,
    isOutcomeUnknown: true,
  },
  {
    name: 'gateway time-out',
    apply: setFault({ kind: 'raw', status: 504, body: '<h1>504 Gateway Time-out</h1>' }),
    call: refusedBySite('http', 'gateway_timeout'),
    check: 504,
    isOutcomeUnknown: true,
  },
  {
    name: 'body too large for the web server',
    apply: setFault({ kind: 'too-large', bytes: 8, by: 'server' }),
    call: refusedBySite('http', 'request_too_large'),
    check: 200,
  },
  {
    name: 'static server',
    apply: setFault({ kind: 'no-wordpress' }),
    call: noWordPress,
    check: 403,
    isBeforeWordPress: true,
  },
  {
    name: 'WordPress in another folder',
    apply: setFault({ kind: 'no-wordpress', subfolder: true }),
    call: noWordPress,
    check: 200,
    isBeforeWordPress: true,
  },
  {
    name: 'child plugin inactive',
    apply: (site) => site.performWpAdminAction({ do: 'deactivate-child' }),
    call: missing,
    check: 200,
  },
  ...(['demoted', 'deleted'] as const).flatMap((what) =>
    [false, true].map((translated): FaultCase => ({
      name: `administrator ${what}${translated ? ', in another language' : ''}`,
      apply: (site) => {
        site.translated = translated;
        if (what === 'demoted') site.performWpAdminAction({ do: 'change-role', user: site.admin, role: 'editor' });
        else site.performWpAdminAction({ do: 'delete-user', user: site.admin });
      },
      call: refusedBySite('auth', what === 'demoted' ? 'not_admin' : 'unknown_user'),
      add: refusedBySite('auth', what === 'demoted' ? 'not_admin' : 'bad_password'),
      reconnect: refusedBySite('auth', what === 'demoted' ? 'not_admin' : 'bad_password'),
      check: 200,
    })),
  ),
  {
    name: 'old child plugin',
    apply: (site) => site.setChildVersion('3.9'),
    call: outdated,
    check: 200,
    canBeNotified: true,
  },
  {
    name: 'lost key',
    apply: (site) => site.loseKey(),
    call: refusedBySite('auth', 'not_connected'),
    add: null,
    reconnect: null,
    check: 200,
  },
  {
    name: 'another key',
    apply: (site) => site.replaceKey(otherKey()),
    call: refusedBySite('auth', 'key_mismatch'),
    add: refusedBySite('auth', 'already_connected'),
    reconnect: refusedBySite('auth', 'already_connected'),
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
