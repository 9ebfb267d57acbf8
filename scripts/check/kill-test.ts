/**
 * Kills the service (SIGKILL) at a random moment of a fleet-wide job or an action, restarts it, and checks that
 *
 * - the job completes, and every site has exactly one result;
 * - no changing call was sent twice;
 * - every site can still be synced with the stored key.
 *
 *   npx tsx scripts/check/kill-test.ts [--rounds 20] [--sites 300] [--seed 1] [--kinds updates,sync] [--mariadb]
 *
 * Updates, sync and reconnect need more than 200 sites. With fewer sites the call waits, and there is no job to kill.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startFleet, type Fleet } from '../../src/sandbox/index.ts';
import { serviceEnvironment, startService, type BenchService } from '../bench/processes.ts';
import { loadKeyPool, keyPairAt, DASHBOARD_URL } from '../bench/keys.ts';
import { seedSites } from '../bench/seed.ts';
import { createMariadbDatabase, startMariadb } from '../support/private-mariadb.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    sites: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    kinds: { type: 'string', default: 'reconnect,plugins,updates,sync,renew' },
    mariadb: { type: 'boolean', default: false },
  },
});
const LATENCY = 40;
const KINDS = ['sync', 'reconnect', 'plugins', 'updates', 'renew'] as const;
type Kind = (typeof KINDS)[number];
const kinds = values.kinds.split(',') as Kind[];
const count = Number(values.sites);
/** Number of sites up to which a call of these kinds waits. */
const MAX_WAITED_SITES = 200;
const QUEUED_KINDS: readonly Kind[] = ['sync', 'reconnect', 'updates'];
refuseWrongOptions();

let state = Number(values.seed);
/** Seeded, so that a run can be repeated. */
const random = (): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};

const pool = loadKeyPool();
const cleanUps: (() => Promise<void>)[] = [];
let fleet: Fleet;
let env: Record<string, string>;
let service: BenchService;
let failed = 0;
try {
  await startAll();
  for (let round = 1; round <= Number(values.rounds); round++) {
    const kind = kinds[(round - 1) % kinds.length] as Kind;
    const problems = await runRound(kind, round);
    failed += problems.length > 0 ? 1 : 0;
    console.log(`round ${round}, ${kind}: ${problems.length > 0 ? problems.join('; ') : 'ok'}`);
  }
} finally {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
}
console.log(`${Number(values.rounds) - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function refuseWrongOptions(): void {
  if (kinds.some((kind) => !KINDS.includes(kind))) throw new Error(`--kinds takes ${KINDS.join(', ')}.`);
  const needing = kinds.filter((kind) => QUEUED_KINDS.includes(kind));
  if (count <= MAX_WAITED_SITES && needing.length > 0)
    throw new Error(
      `--sites must be above ${MAX_WAITED_SITES} for ${needing.join(', ')}: calls over fewer are no job.`,
    );
}

/** Registers the cleanup of each part before the next part starts, so that a failed start leaves nothing running. */
async function startAll(): Promise<void> {
  fleet = await startFleet({
    sites: count,
    latencyMs: LATENCY,
    requestLog: 400,
    primedKeys: (index) => ({
      publicKeyPem: keyPairAt(pool, index).publicKeyPem,
      server: DASHBOARD_URL,
      admin: 'admin',
    }),
  });
  cleanUps.push(() => fleet.close());
  const mariadb = values.mariadb ? await startMariadb() : null;
  if (mariadb) cleanUps.push(() => mariadb.stop());
  const environment = await serviceEnvironment(mariadb ? await createMariadbDatabase(mariadb, 'kill_test') : undefined);
  cleanUps.push(environment.remove);
  env = environment.env;
  // The log is not checked.
  env['LOG_LEVEL'] = 'error';
  const urls = fleet.sites.map(({ url }) => url);
  await seedSites(env, count, urls, { tokens: false });
  service = await startService(env);
  cleanUps.push(() => service.stop());
  // The first sync gives every site its own reconnect token. Seeded sites have none, and registrations need one.
  await syncAll();
}

function runRound(kind: Kind, round: number): Promise<string[]> {
  switch (kind) {
    case 'plugins':
      return killDuringActions();
    case 'updates':
      return killDuringUpdates(round);
    default:
      return killDuringJob(kind);
  }
}

/**
 * Releases two plugin updates on every site and runs them. Each item must have one result, and only items with an error
 * may remain.
 */
async function killDuringUpdates(round: number): Promise<string[]> {
  const problems: string[] = [];
  for (const site of fleet.sites) {
    for (const plugin of [...site.state.plugins.values()].slice(0, 2))
      site.performWpAdminAction({ do: 'release-plugin', plugin: plugin.definition.file, version: `9.${round}.0` });
    site.requests.length = 0;
  }
  await syncAll();
  const wanted = await waitingUpdates();
  const jobId = await run('run-updates-v1', { types: ['plugins'] });
  await sleep(random() * 2_000);
  await restart();
  const { data, items } = await waitForJob(jobId);
  if (data.processed !== count || items.length !== count) problems.push(`the job ended with ${JSON.stringify(data)}`);
  if (fleet.sites.some((site) => site.maxConcurrent > 1)) problems.push('a site was called twice at the same time');
  // After the restart the service reads the state of an interrupted update, and sends it again only if it was not done.
  // A third time is wrong.
  const often = fleet.sites.flatMap(({ requests }) => {
    const lists = requests
      .filter((entry) => entry.function === 'upgradeplugintheme')
      .map((entry) => String(entry.fields['list']));
    return [...new Set(lists)].filter((list) => lists.filter((each) => each === list).length > 2);
  });
  if (often.length > 0) problems.push(`${often.length} updates were sent more than twice`);
  const results = items.flatMap(({ result }) => [...(result?.updated ?? []), ...(result?.errors ?? [])].map(nameOf));
  if (new Set(results).size !== results.length) problems.push('an item has two results');
  const lost = wanted.filter((name) => !results.includes(name));
  if (lost.length > 0) problems.push(`without a result: ${lost.slice(0, 5).join(', ')}`);
  // Some plugins need a newer PHP than the site has. These items have an error and remain in the list.
  const failures = new Set(items.flatMap(({ result }) => (result?.errors ?? []).map(nameOf)));
  const left = await waitingUpdates();
  const unexplained = left.filter((name) => !failures.has(name));
  if (unexplained.length > 0) problems.push(`left without an error: ${unexplained.slice(0, 5).join(', ')}`);
  const gone = [...failures].filter((name) => !left.includes(name));
  if (gone.length > 0) problems.push(`gone, and have an error: ${gone.slice(0, 5).join(', ')}`);
  return [...problems, ...(await sitesWithLostKeys())];
}

async function killDuringJob(kind: 'sync' | 'reconnect' | 'renew'): Promise<string[]> {
  const problems: string[] = [];
  const released = callCounts(fleet, 'disconnect');
  const begunAt = Date.now();
  const jobId = await (kind === 'renew'
    ? renewConnections()
    : run(`${kind}-sites-v1`, { site_ids_or_domains: fleet.sites.map((_, index) => index + 1) }));
  await sleep((random() * (count * LATENCY)) / 32);
  await restart();
  const { data, items } = await waitForJob(jobId);
  if (data.processed !== count || data.succeeded !== count) problems.push(`the job ended with ${JSON.stringify(data)}`);
  const sites = new Set(items.map((item) => item.site_id));
  if (sites.size !== count || items.length !== count)
    problems.push(`${items.length} results for ${sites.size} of ${count} sites`);
  if (kind !== 'sync') {
    // An interrupted registration can still be running, so it is sent again with the same key.
    const often = keysSince(begunAt).filter((keys) => keys > 1).length;
    if (often > 0) problems.push(`${often} sites were given two keys`);
    if (callCounts(fleet, 'disconnect').some((sent, index) => sent > (released[index] ?? 0)))
      problems.push('a site was disconnected on the way');
  }
  return [...problems, ...(await sitesWithLostKeys())];
}

/** Plugin actions are no jobs: the caller sees a broken connection, and the service must not send the action again. */
async function killDuringActions(): Promise<string[]> {
  const names = ['deactivate-site-plugins-v1', 'activate-site-plugins-v1'];
  const before = callCounts(fleet, 'plugin_action');
  const chosen = Array.from({ length: 40 }, () => Math.floor(random() * count)).filter(
    (site, at, all) => all.indexOf(site) === at,
  );
  const calls = chosen.map((index) =>
    post(names[index % 2] as string, { site_id_or_domain: index + 1, slugs: ['hello.php'] }).catch(() => null),
  );
  await sleep(random() * 3 * LATENCY);
  await restart();
  await Promise.all(calls);
  await sleep(500);
  const twice = callCounts(fleet, 'plugin_action').filter((sent, index) => sent - (before[index] ?? 0) > 1).length;
  return [...(twice > 0 ? [`${twice} sites got an action twice`] : []), ...(await sitesWithLostKeys())];
}

function nameOf({ site_id, slug }: UpdatedItem): string {
  return `${site_id} ${slug}`;
}

async function waitingUpdates(): Promise<string[]> {
  const names: string[] = [];
  for (let page = 1; ; page++) {
    const answer = await post('list-updates-v1', { types: ['plugins'], per_page: 100, page });
    const updates = answer['updates'] as UpdatedItem[];
    names.push(...updates.map(nameOf));
    if (updates.length < 100) return names;
  }
}

async function sitesWithLostKeys(): Promise<string[]> {
  const synced = await syncAll();
  return synced === count ? [] : [`${count - synced} sites can no longer be synced`];
}

/** Returns the number of sites that were synced. */
async function syncAll(): Promise<number> {
  const answer = await post('sync-sites-v1', {});
  if (typeof answer['job_id'] === 'string') return (await waitForJob(answer['job_id'])).data.succeeded;
  return (answer['synced'] as unknown[]).length;
}

async function restart(): Promise<void> {
  process.kill(service.pid, 'SIGKILL');
  await service.exited;
  service = await startService(env);
}

function callCounts({ sites }: Fleet, name: string): number[] {
  return sites.map((site) => site.countOf(name));
}

/** Returns the number of different keys that each site was sent. */
function keysSince(begunAt: number): number[] {
  return fleet.sites.map(({ requests }) => {
    const registrations = requests.filter(({ function: name, at }) => name === 'register' && at >= begunAt);
    return new Set(registrations.map(({ fields }) => fields['pubkey'])).size;
  });
}

async function post(ability: string, input: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${service.url}/abilities/v1/svc/${ability}/run`, {
    method: 'POST',
    headers: { authorization: service.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ input }),
  });
  return (await response.json()) as Record<string, unknown>;
}

async function run(ability: string, input: object): Promise<string> {
  const answer = await post(ability, input);
  if (typeof answer['job_id'] !== 'string')
    throw new Error(`${ability} was not queued: ${JSON.stringify(answer).slice(0, 300)}`);
  return answer['job_id'];
}

async function renewConnections(): Promise<string> {
  const response = await fetch(`${service.url}/api/v2/settings/tools/renew-connections`, {
    method: 'POST',
    headers: { authorization: service.authorization },
  });
  const answer = (await response.json()) as { renew_id?: string };
  if (answer.renew_id === undefined) throw new Error(`Nothing was renewed: ${JSON.stringify(answer).slice(0, 300)}`);
  return answer.renew_id;
}

interface UpdatedItem {
  site_id: number;
  slug: string;
}

interface FinishedJob {
  data: { processed: number; succeeded: number; failed: number; completed_at: string | null };
  items: { site_id: number; result: { updated?: UpdatedItem[]; errors?: UpdatedItem[] } | null }[];
}

async function waitForJob(jobId: string): Promise<FinishedJob> {
  // The machine can be slow, but a job without progress for this long is stuck.
  let [processed, until] = [-1, 0];
  for (;;) {
    const job = await read(jobId, service);
    if (job.data.completed_at !== null) return job;
    if (job.data.processed !== processed) [processed, until] = [job.data.processed, Date.now() + 90_000];
    if (Date.now() > until) throw new Error(`The job ${jobId} is stuck: ${JSON.stringify(job.data)}`);
    await sleep(100);
  }
}

async function read(jobId: string, { url, authorization }: BenchService): Promise<FinishedJob> {
  const response = await fetch(`${url}/api/v2/jobs/${jobId}?per_page=500`, { headers: { authorization } });
  return (await response.json()) as FinishedJob;
}
