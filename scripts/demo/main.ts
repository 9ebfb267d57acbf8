/**
 * `npm run demo`: runs the service with a simulated fleet of 25 connected sites, tags and clients, and prints curl
 * commands. All data is in a temporary folder, which is removed at the end.
 */
import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Container } from '../../src/service/container.ts';
import type { Fleet } from '../../src/sandbox/index.ts';
import { startDemoAudits } from './perf-audit.ts';
import { demoDomainMonitor } from './domain-monitor.ts';
import { mcpConfiguration } from './mcp.ts';
import { demoReports, lastMonth } from './reports.ts';
import { demoTimeTracker } from './time-tracker.ts';
import { demoReportSchedules } from './report-schedules.ts';
import { demoSslMonitor, startTlsSites } from './ssl-monitor.ts';
import { demoFeedDir, demoVulnerabilities } from './vulnerabilities.ts';
import { startSimulatedService } from '../support/simulated-service.ts';

const USAGE = `npm run demo -- [--sites 25] [--port 8080]

Runs the service with a simulated fleet. All data is deleted at the end.`;

const { values } = parseArgs({
  options: {
    sites: { type: 'string', default: '25' },
    port: { type: 'string', default: process.env['PORT'] ?? '8080' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) console.log(USAGE);
else await demo(Number(values.sites), Number(values.port));

async function demo(sites: number, port: number): Promise<void> {
  const tlsSites = await startTlsSites();
  const { overrides } = tlsSites;
  const audits = await startDemoAudits();
  const feeds = await demoFeedDir();
  const env = { SITEFLEET_FEED_DIR: feeds, ...audits.env };
  const service = await startSimulatedService({ sites, port, env, overrides });
  const { url, user, password, apiKey, container, fleet } = service;
  await populate(container, fleet, user);
  await demoSslMonitor(container, tlsSites.fleet);
  await demoVulnerabilities(container);
  await audits.begin(container);
  await demoDomainMonitor(container, 'demo');
  await demoReports(container);
  await demoReportSchedules(container);
  printTour(url, fleet, user, password, apiKey);

  let ending = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (ending) process.exit(1);
      ending = true;
      void service
        .close()
        .then(() => tlsSites.fleet.close())
        .then(() => rm(feeds, { recursive: true, force: true }))
        .then(() => process.exit(0));
    });
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
  let done = 0;
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
    process.stderr.write(`\rConnecting sites: ${++done} of ${fleet.sites.length}`);
  };
  const next = fleet.sites.keys();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const index of next) await connect(index);
    }),
  );
  process.stderr.write('\n');
  await costs.create(
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

function printTour(url: string, fleet: Fleet, user: string, password: string, key: string): void {
  const auth = `-u '${user}:${password}'`;
  const run = (name: string): string => `${url}/abilities/v1/svc/${name}/run`;
  const post = (name: string, input: object): string =>
    `curl -s ${auth} -H 'Content-Type: application/json' -d '${JSON.stringify({ input })}' ${run(name)}`;
  console.log(`
Sitefleet listens on ${url}, with ${fleet.sites.length} simulated sites.
Docs: ${url}/docs

  user ${user}   application password ${password}
  API key ${key}

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
  curl -s -H 'Authorization: Bearer ${key}' '${url}/api/v2/posts?websites=1,2&maximum=3'
  curl -s -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"tags":{"create":[{"name":"new"}]},"sites":{"sync":[1,99]}}' ${url}/api/v2/batch

Configuration of most MCP clients (use one of the two):

${mcpConfiguration(url, key)}

Ctrl-C stops the demo and deletes its data.
`);
}
