/**
 * `sitefleet demo`: runs the service with a simulated fleet of connected sites, tags and clients, and prints curl
 * commands. All data is in a temporary folder, which is removed at the end.
 */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { Container } from '../service/container.ts';
import type { Fleet } from '../sandbox/index.ts';
import { ALL_SITES } from '../shared/site-scope.ts';
import { startDemoAudits } from './perf-audit.ts';
import { demoDomainMonitor } from './domain-monitor.ts';
import { describeFaults, plantFaults } from './faults.ts';
import { mcpConfiguration } from './mcp.ts';
import { startDemoDirectory } from './package-directory.ts';
import { demoPackages } from './packages.ts';
import { createDemoKeyPairs } from './key-pairs.ts';
import { addHistory, demoReportSettings, lastMonth } from './report-history-store.ts';
import { demoTimeTracker } from './time-tracker.ts';
import { beginDemoReport } from './report-schedules.ts';
import { demoSslMonitor, startTlsSites } from './ssl-monitor.ts';
import { demoFeedDir, demoVulnerabilities } from './vulnerabilities.ts';
import { startSimulatedService } from './simulated-service.ts';

export interface DemoOptions {
  sites: number;
  port: number;
  seed: number;
  faults: boolean;
  env: Readonly<Record<string, string | undefined>>;
  print: (text: string) => void;
  signal: AbortSignal;
}

const PASSED_ON = ['SITEFLEET_API_KEY', 'SITEFLEET_ADMIN_PASSWORD', 'SITEFLEET_RESPONSE_CHECKS', 'LOG_LEVEL'];

export async function runDemo({ sites, port, seed, faults, env, print, signal }: DemoOptions): Promise<void> {
  const keyPairs = createDemoKeyPairs();
  const [tlsSites, directory, feeds] = [await startTlsSites(), await startDemoDirectory(), await demoFeedDir()];
  try {
    const overrides = { ...tlsSites.overrides, keyPairs: keyPairs.source };
    const audits = await startDemoAudits();
    const passed = Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
    const service = await startSimulatedService({
      ...{ sites, port, seed, overrides },
      env: { SITEFLEET_FEED_DIR: feeds, ...audits.env, ...directory.env, ...passed },
      prepare: async ({ container, fleet, user }) => {
        await populate(container, fleet, user);
        await demoReportSettings(container);
        await addHistory(container);
        await demoVulnerabilities(container);
        await demoDomainMonitor(container, 'demo');
        // A browser prints the report in its own process. Meanwhile, the rest of the data is added here.
        const reportMade = await beginDemoReport(container);
        await demoSslMonitor(container, tlsSites.fleet);
        await addHistory(container, fleet.sites.length);
        await audits.begin(container);
        await demoPackages(container, fleet.sites[0]);
        await reportMade();
        keyPairs.endSharing();
        if (faults) plantFaults(fleet);
      },
    });
    const { url, user, password, apiKey, fleet } = service;
    print(tourOf(url, fleet, user, password, apiKey));
    if (faults) print(describeFaults(fleet));
    if (!signal.aborted) await once(signal, 'abort');
    await service.close();
  } finally {
    await tlsSites.fleet.close();
    directory.close();
    await rm(feeds, { recursive: true, force: true });
  }
}

async function populate(container: Container, fleet: Fleet, user: string): Promise<void> {
  const { services } = container;
  const ACTOR = 'demo';
  const { sites } = services.sites;
  const { clients } = services.clients;
  const { tags } = services.tags;
  const { costs } = services.costs;
  const bakery = await clients.create({ name: 'Corner Bakery', email: 'owner@bakery.example', city: 'Lyon' }, ACTOR);
  const museum = await clients.create({ name: 'City Museum', email: 'web@museum.example', city: 'Porto' }, ACTOR);
  const shop = await tags.create({ name: 'shop', color: '#2f7d4f' }, ACTOR);
  const care = await tags.create({ name: 'care plan', color: '#0a5' }, ACTOR);
  const connect = async (index: number): Promise<void> => {
    const site = fleet.sites[index];
    if (!site) return;
    const owner = index % 3 === 0 ? bakery.id : index % 3 === 1 ? museum.id : null;
    await sites.add(
      {
        url: site.url,
        admin: site.admin,
        password: site.adminPassword,
        name: `Demo site ${index + 1}`,
        clientId: owner,
        tagIds: [...(index % 4 === 0 ? [shop.id] : []), ...(index % 2 === 0 ? [care.id] : [])],
      },
      ACTOR,
    );
  };
  // Sites are connected one after the other, so that the site ID is the position in the fleet, counted from 1.
  for (const index of fleet.sites.keys()) await connect(index);
  await costs.create(
    ALL_SITES,
    {
      name: 'Hosting',
      price: 12.5,
      renewalType: 'monthly',
      lastRenewal: '2026-11-01',
      targets: [{ kind: 'client', id: bakery.id }],
    },
    ACTOR,
  );
  await demoTimeTracker(container, user, [bakery.id, museum.id]);
}

function tourOf(url: string, fleet: Fleet, user: string, password: string, key: string): string {
  const auth = `-u '${user}:${password}'`;
  const run = (name: string): string => `${url}/abilities/v1/svc/${name}/run`;
  const post = (name: string, input: object): string =>
    `curl -s ${auth} -H 'Content-Type: application/json' -d '${JSON.stringify({ input })}' ${run(name)}`;
  return `
Sitefleet listens on ${url}, with ${fleet.sites.length} simulated sites.
Docs: ${url}/docs

  user ${user}   application password ${password}
  API key ${key}

For the command line and the SDK:

  export SITEFLEET_URL=${url} SITEFLEET_KEY=${key}

Try:

  curl -s ${auth} -g '${run('list-sites-v1')}?input[per_page]=5'
  ${post('get-site-v1', { site_id_or_domain: 1, include_stats: true })}
  ${post('sync-sites-v1', {})}
  ${post('check-sites-v1', { site_ids_or_domains: [1, 2, 3] })}
  ${post('get-site-plugins-v1', { site_id_or_domain: 1, has_update: true })}
  ${post('suspend-site-v1', { site_id_or_domain: 2 })}
  ${post('get-site-changes-v1', { site_id_or_domain: 1 })}
  ${post('get-site-costs-v1', { site_id_or_domain: 1 })}
  curl -s -H 'Authorization: Bearer ${key}' ${url}/api/v2/jobs
  curl -s -H 'Authorization: Bearer ${key}' '${url}/api/v2/time-tracker?status=running'
  curl -s -H 'Authorization: Bearer ${key}' '${url}/api/v2/ssl-monitor/info?orderby=valid_to&per_page=5'
  curl -s -H 'Authorization: Bearer ${key}' '${url}/api/v2/vulnerabilities/exposures?severity=critical'
  curl -s -H 'Authorization: Bearer ${key}' '${url}/api/v2/perf-audit/results?max_score=60'
  curl -s -H 'Authorization: Bearer ${key}' '${url}/api/v2/domain-monitor/profiles?status=expiring&orderby=expiry_date'
  curl -s -H 'Authorization: Bearer ${key}' '${url}/api/v2/pro-reports/1?${lastMonth()}&segments=plugins,uptime,perfaudit'
  curl -s -H 'Authorization: Bearer ${key}' '${url}/api/v2/pro-reports/1/plugins?${lastMonth()}&format=csv'
  curl -s -H 'Authorization: Bearer ${key}' -o report.html '${url}/api/v2/pro-reports/1?${lastMonth()}&format=html'
  curl -s -H 'Authorization: Bearer ${key}' -o report.pdf '${url}/api/v2/pro-reports/1?${lastMonth()}&format=pdf'   # needs Chromium
  curl -s -H 'Authorization: Bearer ${key}' '${url}/api/v2/posts?websites=1,2&maximum=3'
  curl -s -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"tags":{"create":[{"name":"new"}]},"sites":{"sync":[1,99]}}' ${url}/api/v2/batch

Configuration of most MCP clients (use one of the two):

${mcpConfiguration(url, key)}

Ctrl-C stops the demo and deletes its data.
`;
}
