import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFleet, type Fleet, type SimulatedSite } from '../../src/sandbox/index.ts';
import { newPost } from '../../src/sandbox/state/generate-content.ts';
import { jsonMediaOf, type ContractOperation } from '../../src/contract/index.ts';
import { createClient, isRefusal, OPERATIONS } from '../../src/sdk/index.ts';
import { DefaultService, rawAnswerOf, type RawAnswer } from '../support/default-service.ts';
import type { ExampleCall } from '../../src/contract-checks/index.ts';
import { pluginZip, sha256, TestDirectory } from '../support/packages.ts';
import { FeedServer, osvRecord } from '../support/vulnerabilities.ts';
import { PREPARATIONS } from './preparations.ts';

/** Sites: one for all operations, one that stays unchanged, a slow one, and one that is not managed yet. */
const [TRIED, QUIET, SLOW, FREE] = [0, 1, 2, 3] as const;
const NAMES = ['shop', 'shops', 'web shop'];
const OFFICE = 'office@harbour-bakery.example';
const FIELD = 'VAT number';
const COST_TRACKER = '/api/v2/settings/cost-tracker';
const TIME_TRACKER = '/api/v2/time-tracker';

type ResolveValue = (world: DocumentedWorld, operation: string) => unknown;

const site: ResolveValue = (world) => world.id(TRIED);
const isBatch = (operation: string): boolean => operation.startsWith('batch_run');
const sites: ResolveValue = (world) => [world.id(TRIED), world.id(QUIET)];
const tag: ResolveValue = (world) => world.tag();
const tags: ResolveValue = async (world) => [await world.tag()];

/** Values for the parameters of examples. All other fields are sent as documented. */
const PARAMETER_VALUES: Record<string, ResolveValue> = {
  site_id_or_domain: site,
  id_or_domain: site,
  site_ids_or_domains: sites,
  include: sites,
  websites: (world, operation) => (isPinning(operation) ? [world.id(TRIED)] : sites(world, operation)),
  // Batches have groups with these names.
  sites: (world, operation) => (isBatch(operation) ? { sync: [world.id(TRIED), 99] } : sites(world, operation)),
  selected_sites: sites,
  exclude: (world) => [world.id(QUIET)],
  url: (world, operation) => (operation === 'packages_add' ? world.zip.url : world.unusedName()),
  sha256: (world) => world.zip.sha256,
  zip_file: (world) => world.zip.file,
  package_id: (world) => world.package(),
  admin_password: (world) => world.site(TRIED).adminPassword,
  tag_id: tag,
  tags: (world, operation) => (isBatch(operation) ? { create: [{ name: 'shops' }] } : tags(world, operation)),
  tag_ids: tags,
  groupids: tags,
  groups: tags,
  client_id: (world) => world.client(),
  client_id_or_email: (world) => world.client(),
  id_or_email: (world) => world.client(),
  cost_id: (world) => world.cost(),
  update: async (world, operation) =>
    operation.startsWith('costs_batch') ? [{ id: await world.cost(), price: 12 }] : undefined,
  slug: (world, operation) => (isPinning(operation) ? world.plugin() : world.costOption(operation)),
  task_id: (world, operation) => world.task(operation),
  bucket_id: (world) => world.bucket(),
  site_id: (world) => world.id(TRIED),
  template_key: (world) => world.reportTemplate(),
  schedule_id: (world) => world.reportSchedule(),
  report_id: (world, operation) => world.report({ isHeld: /_(release|discard)$/.test(operation) }),
  key_id: (world) => world.key(),
  role_name: (world) => world.role(),
  service_user_id: (world, operation) => world.serviceUser(operation),
  id_or_name: (world) => world.field(),
  job_id: (world, operation) => world.job(operation),
  mail_id: (world) => world.mail(),
  destroy_id: (world) => world.run('destroy-sessions', 'destroy_id'),
  renew_id: (world) => world.run('renew-connections', 'renew_id'),
  disconnect_id: (world) => world.run('disconnect-all-sites', 'disconnect_id'),
  post_id: (world) => world.post('post'),
  page_id: (world) => world.post('page'),
  user_id: (world) => world.user(),
  vulnerability_id: (world) => world.vulnerability(),
  fix_id: (world) => world.fix(),
  pin_id: (world) => world.pin(),
  id_comment: (world) => world.comments()[0],
  comment_ids: (world) => world.comments().join(','),
};

const isPinning = (operation: string): boolean => operation.startsWith('pins_');

/** A directory with the packages of the examples. */
class DocumentedDirectory extends TestDirectory {
  premium = { url: '', sha256: '', file: new Blob([]) };

  static override async start(): Promise<DocumentedDirectory> {
    const directory = new DocumentedDirectory();
    await directory.listen();
    const hello = { file: 'hello.php', name: 'Hello Dolly' };
    await directory.release('plugin', 'hello-dolly', '1.7.2', await pluginZip('hello-dolly', '1.7.2', hello));
    const zip = await directory.release('plugin', 'forms-pro', '3.1.0');
    directory.premium = {
      url: `${directory.url}/plugin/forms-pro.3.1.0.zip`,
      sha256: sha256(zip),
      file: new Blob([new Uint8Array(zip)]),
    };
    return directory;
  }
}

/** A service with defaults and a fleet, in which every example of the contract finds its records. */
export class DocumentedWorld {
  readonly service: DefaultService;
  readonly #fleet: Fleet;
  readonly #ids: number[] = [];
  readonly #directory: DocumentedDirectory;
  #made = 0;
  #feed: FeedServer | undefined;
  /** True if an operation may have changed the sites since their last repair. */
  #isDisturbed = true;

  private constructor(service: DefaultService, fleet: Fleet, directory: DocumentedDirectory) {
    this.service = service;
    this.#fleet = fleet;
    this.#directory = directory;
  }

  static async start(): Promise<DocumentedWorld> {
    const directory = await DocumentedDirectory.start();
    const env = { SITEFLEET_DIRECTORY_URL: directory.url };
    const [service, fleet] = await Promise.all([DefaultService.start(env), startFleet({ sites: 4 })]);
    const world = new DocumentedWorld(service, fleet, directory);
    for (const index of [TRIED, QUIET, SLOW]) await world.#connect(index);
    return world;
  }

  site(index: number): SimulatedSite {
    return this.#fleet.sites[index] ?? assert.fail();
  }

  id(index: number): number {
    return this.#ids[index] ?? assert.fail();
  }

  send(...request: Parameters<DefaultService['send']>): Promise<RawAnswer> {
    return this.service.send(...request);
  }

  /** Sends a call through the client SDK. Returns the raw response. */
  async sendBySdk(
    { operationId, responses }: ContractOperation,
    call: ExampleCall,
  ): Promise<RawAnswer & { path: string }> {
    const sent: { path: string; answer: Promise<RawAnswer> }[] = [];
    const sdk = createClient({
      url: this.service.url,
      ...this.service.credential,
      retries: 0,
      fetch: async (request) => {
        const { pathname, search } = new URL(request.url);
        const response = await fetch(request);
        sent.push({ path: pathname + search, answer: rawAnswerOf(response.clone()) });
        return response;
      },
    });
    const operation = OPERATIONS.find(({ id }) => id === operationId) ?? assert.fail(`The SDK lacks ${operationId}.`);
    const body = call.body as { input?: unknown } | undefined;
    const input = operation.ability ? (call.query['input'] ?? body?.input) : call;
    const isFile = !jsonMediaOf(responses['200']);
    const answer = isFile
      ? sdk.file(operationId as 'reports_file', input as never)
      : sdk.answer(operationId as 'sites_get', input as never);
    // The raw response is checked, not the thrown error.
    await answer.catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
    });
    const [only] = sent;
    assert.ok(only && sent.length === 1, `${sent.length} calls were sent`);
    return { ...(await only.answer), path: only.path };
  }

  /** Prepares the world for one operation. Returns the values of its parameters. */
  async prepare(operation: string, names: ReadonlySet<string>): Promise<Record<string, unknown>> {
    if (this.#isDisturbed) await this.#putSitesInOrder();
    this.#isDisturbed = !/^(get|list|count|tags|costs|keys|modules|settings|time_tracker)[-_]|_(get|list)$/.test(
      operation,
    );
    if (/add|create|edit|batch|fields|update-tag|update-client/.test(operation)) await this.#freeNames();
    if (operation === 'clients_add')
      await this.#call('POST', '/api/v2/clients/fields/add', { name: FIELD, description: 'a' });
    const given: Record<string, unknown> = {};
    for (const name of names) {
      const resolve = PARAMETER_VALUES[name];
      const value = await resolve?.(this, operation);
      if (value !== undefined) given[name] = value;
    }
    if (operation === 'pins_free') await this.pin();
    await PREPARATIONS[operation]?.(this, given);
    return given;
  }

  /** Returns the ID of the newest change of any object that was made through the service. */
  async newestChange(): Promise<number> {
    const { body } = await this.#call('GET', '/api/v2/changes?source=dashboard&per_page=1&_fields=id');
    return (body.data as { id: number }[])[0]?.id ?? 0;
  }

  async tag(): Promise<number> {
    const { body } = await this.#call('POST', '/api/v2/tags/add', { name: `Tag ${this.#next()}` });
    return body.data.id as number;
  }

  async client(): Promise<number> {
    const number = this.#next();
    const { body } = await this.#call('POST', '/api/v2/clients/add', {
      name: `Client ${number}`,
      client_email: `client${number}@example.com`,
      selected_sites: [this.id(TRIED)],
    });
    return body.data.id as number;
  }

  async cost(): Promise<number> {
    const { body } = await this.#call('POST', '/api/v2/costs/add', {
      name: 'Hosting',
      price: 10,
      sites: [this.id(TRIED)],
      product_type: 'hosting',
      payment_method: 'paypal',
      last_renewal: '2026-11-01',
    });
    return body.data.id as number;
  }

  plugin(): string {
    return [...this.site(TRIED).state.plugins.keys()][0] ?? assert.fail();
  }

  async pin(): Promise<number> {
    const fields = { type: 'plugin', slug: this.plugin(), version: '1.x', websites: [this.id(TRIED)] };
    await this.#call('POST', '/api/v2/pins', fields);
    return ((await this.#call('GET', '/api/v2/pins')).body.data as { id: number }[])[0]?.id ?? assert.fail();
  }

  /** Returns the slug of a new product type or payment method, or undefined for other operations. */
  async costOption(operation: string): Promise<string | undefined> {
    const [, kind] = /^costs_(product_types|payment_methods)_(?:edit|delete)/.exec(operation) ?? [];
    if (kind === undefined) return undefined;
    const path = `${COST_TRACKER}/${kind.replace('_', '-')}/add`;
    const { body } = await this.#call('POST', path, { title: `Option ${this.#next()}` });
    return Object.keys(body.data as object)[0];
  }

  /** Returns a task whose timer has the state that the operation needs. No other timer runs. */
  async task(operation: string): Promise<number> {
    const { body: running } = await this.#call('GET', `${TIME_TRACKER}?status=running`);
    for (const { id } of running.data as { id: number }[]) await this.#call('POST', `${TIME_TRACKER}/tasks/${id}/stop`);
    const client_id = await this.client();
    const { body } = await this.#call('POST', `${TIME_TRACKER}/tasks/add`, { title: 'Work', client_id });
    const id = body.data.id as number;
    if (/_(pause|stop)$/.test(operation)) await this.#call('POST', `${TIME_TRACKER}/tasks/${id}/start`);
    return id;
  }

  /** Returns a bucket without tasks. */
  async bucket(): Promise<number> {
    const { body } = await this.#call('POST', `${TIME_TRACKER}/buckets/add`, { title: 'Hours', hours: 10 });
    return body.data.id as number;
  }

  async reportTemplate(): Promise<string> {
    const { body } = await this.#call('POST', '/api/v2/report-templates/add', { name: `Template ${this.#next()}` });
    return body.data.key as string;
  }

  async reportSchedule({ isHeld } = { isHeld: false }): Promise<number> {
    const about = { name: 'Report', site_id: this.id(TRIED), frequency: 'weekly' };
    const body = { ...about, format: 'html', recipients: [OFFICE], hold_first_report: isHeld };
    return (await this.#call('POST', '/api/v2/report-schedules/add', body)).body.data.id as number;
  }

  /** Returns a finished report, which waits for its release if `isHeld`. */
  async report({ isHeld }: { isHeld: boolean }): Promise<number> {
    const run = await this.#call('POST', `/api/v2/report-schedules/${await this.reportSchedule({ isHeld })}/run`);
    const { id } = run.body.data as { id: number };
    for (;;) {
      const { body } = await this.#call('GET', `/api/v2/reports/${id}`);
      if (body.data.status !== 'queued') return id;
      await sleep(10);
    }
  }

  async key(): Promise<number> {
    const { body } = await this.#call('POST', '/api/v2/rest-api/add-key', { permissions: 'read', description: 'a' });
    return body.data.id as number;
  }

  async role(): Promise<string> {
    const name = `role-${this.#next()}`;
    await this.#call('POST', '/api/v2/rest-api/roles/add', { name, permissions: ['tags:read'] });
    return name;
  }

  async serviceUser(operation: string): Promise<number> {
    const user = { name: `User ${this.#next()}`, role: 'viewer' };
    const { body } = await this.#call('POST', '/api/v2/rest-api/users/add', user);
    const { id } = body.data as { id: number };
    if (operation === 'service_users_revoke_passwords')
      await this.#call('POST', `/api/v2/rest-api/users/${id}/add-password`, { description: 'a' });
    return id;
  }

  async field(): Promise<string> {
    const name = `Field ${this.#next()}`;
    await this.#call('POST', '/api/v2/clients/fields/add', { name, description: 'a' });
    return name;
  }

  /** Returns the URL of a site that is not managed and can be added without a password. */
  async unusedName(): Promise<string> {
    const found = this.site(FREE);
    await this.#call('DELETE', `/api/v2/sites/${encodeURIComponent(found.url)}/remove`, undefined, false);
    found.performWpAdminAction({ do: 'activate-child' });
    found.loseKey();
    found.performWpAdminAction({ do: 'set-password-auth', user: found.admin, on: false });
    return found.url;
  }

  /** Returns a published post or page of the site. */
  post(type: 'post' | 'page'): number {
    const { state } = this.site(TRIED);
    const id = state.nextId.post++;
    const date = Math.floor(Date.now() / 1000) - 3_600;
    state.posts.set(id, newPost({ id, type, title: 'Hours', authorId: 1, date, modified: date, status: 'publish' }));
    return id;
  }

  user(): number {
    const site = this.site(TRIED);
    const user = `reader${this.#next()}`;
    site.performWpAdminAction({ do: 'create-user', user, role: 'subscriber' });
    return site.state.users.find(({ login }) => login === user)?.id ?? assert.fail();
  }

  /** Returns comments that are pending. */
  comments(): number[] {
    const found = [...this.site(TRIED).state.comments.values()].slice(0, 2);
    for (const comment of found) comment.status = 'hold';
    this.site(TRIED).touch();
    return found.map(({ id }) => id);
  }

  /** Returns a job for the operation: a failed one for a retry, a running one to cancel, otherwise a finished one. */
  async job(operation: string): Promise<string> {
    const slow = this.site(SLOW);
    const isLate = operation.startsWith('jobs_cancel');
    slow.fault = operation.startsWith('jobs_retry') ? { kind: 'fatal', when: 'before' } : null;
    slow.latencyMs = isLate ? 1_500 : 0;
    const before = await this.#jobIds();
    const body = { include: [this.id(SLOW)] };
    const call = this.#call('POST', '/api/v2/sites/sync', body);
    if (!isLate) await call;
    for (;;) {
      const found = (await this.#jobIds()).find((id) => !before.includes(id));
      if (found) return found;
      await sleep(10);
    }
  }

  /** Returns the digest mail of a fleet that needs attention. */
  async mail(): Promise<number> {
    await this.#call('PUT', '/api/v2/settings/emails/daily_digest/edit', { recipients: OFFICE });
    await this.#call('POST', '/api/v2/schedules/daily-digest/run');
    for (;;) {
      const { body } = await this.#call('GET', '/api/v2/outbox');
      const [newest] = body.data as { id: number }[];
      if (newest) return newest.id;
      await sleep(10);
    }
  }

  /** Zip of the premium plugin in the examples. */
  get zip(): { url: string; sha256: string; file: Blob } {
    return this.#directory.premium;
  }

  async package(): Promise<number> {
    const body = { type: 'plugin', slug: 'hello-dolly', version: '1.7.2' };
    return (await this.#call('POST', '/api/v2/packages/fetch', body)).body.data.id as number;
  }

  /** Returns a vulnerability of the tested site. */
  async vulnerability(): Promise<number> {
    const known = async (): Promise<number | undefined> =>
      ((await this.#call('GET', '/api/v2/vulnerabilities')).body.data as { id: number }[])[0]?.id;
    this.#feed ??= await FeedServer.start();
    this.#feed.content = [osvRecord('akismet', '99')];
    await this.#call('PUT', '/api/v2/settings/vulnerabilities/edit', { osv_sources: [this.#feed.url] });
    await this.#call('POST', '/api/v2/schedules/vulnerability-refresh/run', undefined, false);
    for (;;) {
      const id = await known();
      if (id !== undefined) return id;
      await sleep(10);
    }
  }

  /** Returns a fix of the vulnerability. */
  async fix(): Promise<number> {
    await this.vulnerability();
    await this.#call('POST', '/api/v2/vulnerabilities/fixes/run', {});
    const { data } = (await this.#call('GET', '/api/v2/vulnerabilities/fixes')).body as { data: { id: number }[] };
    return data[0]?.id ?? assert.fail();
  }

  /** Returns a run of a tool for all sites. */
  async run(tool: string, idName: string): Promise<string> {
    const { body } = await this.#call('POST', `/api/v2/settings/tools/${tool}`);
    return (body as unknown as Record<string, string>)[idName] ?? assert.fail();
  }

  async close(): Promise<void> {
    await this.service.stop();
    await this.#fleet.close();
    await this.#feed?.close();
    this.#directory.close();
  }

  #next(): number {
    return ++this.#made;
  }

  async #jobIds(): Promise<string[]> {
    const { body } = await this.#call('GET', '/api/v2/jobs');
    return (body.data as { job_id: string }[]).map(({ job_id: id }) => id);
  }

  async #call(method: string, path: string, body?: object, mustSucceed = true): Promise<RawAnswer> {
    const answer = await this.send(method, path, body && JSON.stringify(body));
    if (mustSucceed) assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer;
  }

  async #connect(index: number): Promise<void> {
    const { url, admin, adminPassword: admin_password } = this.site(index);
    const { body } = await this.#call('POST', '/abilities/v1/svc/add-site-v1/run', {
      input: { url, admin, admin_password },
    });
    this.#ids[index] = body.id as number;
  }

  /** Connects all sites again and removes their faults. The first one gets the items that examples name. */
  async #putSitesInOrder(): Promise<void> {
    const slow = this.site(SLOW);
    slow.fault = null;
    slow.latencyMs = 0;
    prepareSite(this.site(TRIED));
    for (const index of [TRIED, QUIET]) {
      const { status } = await this.#call('POST', `/api/v2/sites/${this.id(index)}/sync`, undefined, false);
      if (status === 200) continue;
      await this.#call('DELETE', `/api/v2/sites/${this.id(index)}/remove`, undefined, false);
      this.site(index).performWpAdminAction({ do: 'activate-child' });
      this.site(index).loseKey();
      restorePassword(this.site(index));
      await this.#connect(index);
    }
  }

  /** Frees names, so that examples can add or rename records. */
  async #freeNames(): Promise<void> {
    const { body } = await this.#call('GET', '/api/v2/tags?per_page=500');
    for (const { id, name } of body.data as { id: number; name: string }[])
      if (NAMES.includes(name)) await this.#call('DELETE', `/api/v2/tags/${id}/remove`);
    await this.#call('DELETE', `/api/v2/clients/${encodeURIComponent(OFFICE)}/remove`, undefined, false);
    await this.#call('DELETE', `/api/v2/clients/fields/${encodeURIComponent(FIELD)}/delete`, undefined, false);
    await this.#call('PUT', '/api/v2/modules/cost-tracker', { active: true });
    const { data } = (await this.#call('GET', COST_TRACKER)).body;
    for (const { slug, title } of data.product_categories as { slug: string; title: string }[])
      if (title === 'Licences') await this.#call('DELETE', `${COST_TRACKER}/product-types/${slug}/delete`);
    for (const [slug, title] of Object.entries(data.payment_methods as object))
      if (title === 'Bank transfer') await this.#call('DELETE', `${COST_TRACKER}/payment-methods/${slug}/delete`);
  }
}

/** Installs the plugins, themes and translations of the examples, each with an available update. */
function prepareSite(site: SimulatedSite): void {
  const { state } = site;
  const [plugin] = state.plugins.values();
  const [theme] = state.themes.values();
  assert.ok(plugin && theme);
  for (const file of ['hello-dolly/hello.php', 'akismet/akismet.php', 'hello.php']) {
    const definition = { ...plugin.definition, file, name: file, versions: ['1.0', '1.1'] };
    state.plugins.set(file, { ...plugin, definition, version: '1.0', update: '1.1', active: false });
  }
  for (const stylesheet of ['twentytwentyfour', 'twentytwentyfive', 'twentytwentythree']) {
    const definition = { ...theme.definition, stylesheet, name: stylesheet, versions: ['1.0', '1.1'] };
    state.themes.set(stylesheet, { ...theme, definition, version: '1.0', update: '1.1' });
  }
  state.activeTheme = 'twentytwentyfour';
  state.core.update = '99.0';
  const akismet = { type: 'plugin', slug: 'akismet', language: 'de_DE', version: '1.0', name: 'Akismet' } as const;
  state.translations = [...state.translations.filter(({ slug }) => slug !== 'akismet'), akismet];
  site.touch();
}

/** An example may have changed the password with which the site is connected. */
function restorePassword({ state, admin, adminPassword }: SimulatedSite): void {
  for (const user of state.users) if (user.login === admin) user.password = adminPassword;
}
