import assert from 'node:assert/strict';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { isFindable, operationCatalogOf } from '../../src/surfaces/mcp/operation-catalog.ts';
import { searchOperations } from '../../src/surfaces/mcp/operation-search.ts';
import { ALIASES_BY_OPERATION } from '../../src/surfaces/mcp/search-aliases.ts';
import { connectMcp, type TestMcpClient, type ToolResult } from '../support/mcp.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the search does not use the database.

/** The answers were written down before the search was tried. Each list has the operations that are right. */
const ANSWERED: readonly (readonly [query: string, answers: string])[] = [
  ['which plugins have security holes', 'vulnerabilities_exposures vulnerabilities_list sites_vulnerabilities'],
  ['add a new website to the fleet', 'add-site-v1 sites_add'],
  ['roll back a plugin to its old version', 'sites_packages_rollback packages_rollback'],
  ['is the site up', 'check-site-v1 check-sites-v1 sites_check monitors_get monitors_check monitors_list'],
  ["send last month's report to the client", 'reports_send report_schedules_run'],
  ['who changed something on the site', 'get-site-changes-v1 sites_changes changes_list'],
  ['stop a running job', 'jobs_cancel'],
  ['create a blog post', 'posts_create'],
  ['reset the password of the WordPress administrator', 'users_update_admin_password'],
  ['domains that expire next month', 'domain_monitor_profiles_list'],
  ['hours worked for a client', 'time_tracker_clients_get time_tracker_clients_tasks time_tracker_clients_list'],
  ['freeze a plugin at a version', 'pins_set'],
  ['approve pending comments', 'comments_act comments_act_bulk'],
  ['how much does hosting cost us per year', 'costs_list costs_get get-site-costs-v1 sites_costs'],
  ['slowest sites by PageSpeed score', 'perf_audit_list'],
  ['who am I and what may I do', 'me_get'],
  ['turn off automatic updates', 'settings_general_edit schedules_get schedules_list'],
  ['plugins that nobody maintains any more', 'get-abandoned-plugins-v1 sites_plugins_abandoned'],
  ['import users from a spreadsheet', 'users_import'],
  ['list all the sites of the client Bakery', 'get-client-sites-v1 clients_sites'],
  ['put a site on hold', 'suspend-site-v1 sites_suspend'],
  ['delete spam comments on all sites', 'comments_act_bulk comments_act'],
  ['test an update before I run it', 'updates_plan run-updates-v1 updates_run'],
  ['why did the mail not arrive', 'outbox_list outbox_get outbox_resend'],
  ['uptime percentage of the last 30 days', 'monitors_get monitors_list pro_reports_uptime monitors_heartbeat'],
  ['make an API key for a colleague', 'keys_add'],
  ['which certificates expire soon', 'ssl_monitor_info_list'],
  ['rotate my API key', 'keys_rotate'],
  ['end all sessions', 'tools_destroy_sessions'],
  ['export tasks as csv', 'time_tracker_tasks_export'],
  ['moderating spam comments', 'comments_act'],
  ['vulnerable sites', 'sites_vulnerabilities'],
  ['page speed audits', 'perf_audit_list'],
  ['how many sites', 'count-sites-v1'],
  ['run updates by rings', 'run-updates-v1'],
  ['dry run of an update', 'updates_plan'],
  ['update plugins on five sites in rings', 'run-updates-v1 updates_run'],
  ['sync the first ten sites', 'sync-sites-v1 sites_sync_all'],
  ['sites that are offline', 'monitors_list'],
];

/** No operation does these. */
const UNANSWERED = [
  'restore a site from a backup',
  'purge the cache of a site',
  'change the PHP version',
  'clone a site to staging',
  'edit the DNS records of a domain',
  'issue a new TLS certificate',
  'send an invoice to a client',
  'scan a site for malware',
  'translate a page into French',
  'book a hotel room in Berlin',
  'upload an image to the media library',
  'restart MySQL on the server',
  'buy a domain name',
  'send a message to Slack',
  'book a flight to Paris',
  'restart the database server',
  'play music',
  'weather forecast',
  '???',
];

describe('search for operations over MCP', () => {
  let world: World;
  let mcp: TestMcpClient;
  before(async () => {
    world = await startWorld();
    mcp = await connectMcp(world);
  });
  after(async () => {
    await mcp.close();
    await world.close();
  });

  const find = (query: string): Promise<ToolResult> => mcp.call('find_operations', { query });
  const idsIn = ({ structured }: ToolResult): string[] =>
    structured.operations.map(({ operation }: { operation: string }) => operation);
  const operations = operationCatalogOf({ abilities: readContract('abilities'), v2: readContract('v2') });

  for (const [query, answers] of ANSWERED)
    it(`when “${query}” is searched, then an operation for it is among the first three results, the same each time`, async () => {
      const found = await find(query);
      const right = answers.split(' ');
      assert.ok(
        idsIn(found)
          .slice(0, 3)
          .some((id) => right.includes(id)),
        found.text,
      );
      assert.deepEqual((await find(query)).structured, found.structured);
    });

  for (const query of UNANSWERED)
    it(`when “${query}” is searched, then the response says that nothing fits and names the groups`, async () => {
      const { structured, text } = await find(query);
      assert.deepEqual([structured.operations, structured.total], [[], 0], text);
      assert.match(text, /^Nothing fits “/);
      const groups = new Map(structured.groups.map((group: { name: string }) => [group.name, group]));
      assert.ok(groups.has('sites') && groups.has('ssl-monitor') && groups.has('report-schedules'));
      assert.match(text, /\nssl-monitor \(\d+\): TLS certificates of the sites and their expiry\./);
    });

  it('when a query has unknown words, then the response names them', async () => {
    assert.match((await find('book a flight')).text, /No operation has the words: book, flight\./);
  });

  it('when the title of an operation is searched, then one with that title is among the first five results', () => {
    const findable = [...operations.values()].filter(isFindable);
    const missed = findable.filter(
      ({ title }) =>
        !searchOperations(findable, title)
          .matches.slice(0, 5)
          .some((each) => each.title === title),
    );
    assert.deepEqual(
      missed.map(({ id }) => id),
      [],
    );
  });

  it('when aliases are read, then each names an operation', () =>
    assert.deepEqual(
      [...ALIASES_BY_OPERATION.keys()].filter((id) => !operations.has(id)),
      [],
    ));
});
