import assert from 'node:assert/strict';
import { createPrivateKey, randomUUID } from 'node:crypto';
import type { Test } from 'supertest';
import { operationsOf } from '../../src/contract/index.ts';
import type { KeyPairSource } from '../../src/connector/child-site.ts';
import type { SimulatedSite, FaultSpec } from '../../src/sandbox/index.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { checkResponse } from '../support/contract-check.ts';
import { pooledKeyPairs } from '../support/key-pool.ts';
import { startWorld, type World } from '../support/world.ts';
import { dumpDatabase, encodingsOf } from './database-dump.ts';
import { RecordingProxy } from './recording-proxy.ts';

const HTTP_USER = 'canary-http-user-3kq8';
const HTTP_PASS = "canary http/pass+'9z";
const UNIQUE_ID = 'canary-unique-id-5tt1';
const WRONG = 'canary-wrong-password-77';
/** Passwords of site users, one for each path that they take. */
const USER_PASSWORDS = {
  create: 'canary user create 8wm2',
  edit: 'canary user edit 4hb7',
  admin: 'canary user admin 6zc9',
  import: 'canary user import 1qx5',
};
const BAD_BEARER = 'canary-bad-bearer-0123456789';

const FAULTS: FaultSpec[] = [
  { kind: 'refuse' },
  { kind: 'challenge' },
  { kind: 'fatal', when: 'before' },
  { kind: 'fatal', when: 'after' },
  { kind: 'cut' },
  { kind: 'gzip' },
  { kind: 'invalid-base64' },
  { kind: 'scalar', value: null },
  { kind: 'huge', bytes: 40 * 1024 * 1024 },
  { kind: 'redirect', status: 307, location: 'http://127.0.0.1:9/' },
];

/** A site that repeats a secret in its error message. */
const echoFault = (secret: string): FaultSpec => ({
  kind: 'forged',
  answer: { error: `Refused: ${secret}.`, error_code: 'other' },
});

/** Plants secrets wherever the service receives them, and searches for them wherever it writes. */
describe('secrets', () => {
  let world: World;
  let site: SimulatedSite;
  let proxy: RecordingProxy;
  let credentials: { basic: string; bearer: string; password: string; secret: string };
  const canaries = new Map<string, string[]>();
  const answers: { what: string; text: string }[] = [];
  const logLines: string[] = [];

  const plant = (kind: string, ...values: string[]): void =>
    void canaries.set(kind, [...(canaries.get(kind) ?? []), ...values]);

  /** Sends any request and records its response with headers. `fill` returns the body. */
  async function send(
    method: string,
    path: string,
    fill: (request: Test) => Test = (request) => request,
    authorization = credentials.basic,
  ): Promise<number> {
    const key = method === 'GET' ? {} : { 'idempotency-key': randomUUID() };
    const request = world.agent('nobody')[method.toLowerCase() as 'get' | 'post' | 'put' | 'delete'](path);
    const { status, headers, text: sent } = await fill(request.set({ authorization, ...key }));
    const isJson = headers['content-type']?.includes('json') === true && sent !== '';
    checkResponse(method, path, status, isJson ? JSON.parse(sent) : sent);
    const text = `${JSON.stringify(headers)}\n${sent}`;
    answers.push({ what: `${method} ${path.split('?')[0]} ${status}`, text });
    assert.notEqual(status, 500, text);
    return status;
  }
  const ask = (method: string, path: string, body?: string | object, authorization?: string): Promise<number> =>
    send(method, path, (request) => (body === undefined ? request : request.type('json').send(body)), authorization);
  const run = (name: string, input: unknown, expected = 200): Promise<void> =>
    ask('POST', `/abilities/v1/svc/${name}/run`, { input }).then((status) =>
      assert.equal(status, expected, answers.at(-1)?.text),
    );
  const id = async (): Promise<number> =>
    (await world.ability('get-site-v1', { site_id_or_domain: proxy.url })).id as number;

  before(async () => {
    const pool = pooledKeyPairs();
    const keyPairs: KeyPairSource = {
      next: async () => {
        const pair = await pool.next();
        const lines = pair.privateKeyPem.split('\n').filter((line) => line.length === 64 && !line.startsWith('-'));
        const der = createPrivateKey(pair.privateKeyPem).export({ type: 'pkcs1', format: 'der' });
        plant('private key', ...lines.slice(2, 8), der.toString('hex', 300, 340));
        return pair;
      },
    };
    const logger = createLogger('trace', { write: (line: string) => void logLines.push(line) });
    world = await startWorld({ sites: 1, connect: 0, overrides: { keyPairs, logger } });
    site = world.site(0);
    site.performWpAdminAction({ do: 'set-unique-id', uniqueId: UNIQUE_ID });
    proxy = await RecordingProxy.start(site.url);

    const { access } = world.container.services.access;
    const user = await access.createUser({ name: 'canary-user', role: 'administrator' }, 'test');
    const { password } = await access.addPassword(user.id, 'canary', 'test');
    const key = { userId: user.id, label: 'canary', scope: 'read_write', expiresAt: null } as const;
    const { secret } = await access.keys.create(key, 'test');
    const basic = `Basic ${Buffer.from(`canary-user:${password}`).toString('base64')}`;
    credentials = { basic, bearer: `Bearer ${secret}`, password, secret };
    plant('application password', password);
    plant('API key', secret);
    plant('password of the child', site.adminPassword, WRONG);
    plant('http_user', HTTP_USER);
    plant('http_pass', HTTP_PASS);
    plant('unique_id', UNIQUE_ID);
    plant('bad credential', BAD_BEARER);
    plant('password of a user', ...Object.values(USER_PASSWORDS));
    await exercise();
    for (const [kind, values] of proxy.recorded) plant(kind, ...values);
  });
  after(async () => {
    proxy.close();
    await world.close();
  });

  /** Creates a key. The response that shows the key is not recorded, and the key is used and read afterwards. */
  async function mintKey(): Promise<void> {
    const add = {
      method: 'POST',
      path: '/api/v2/rest-api/add-key',
      body: { scope: 'read_write', description: 'minted' },
    };
    const headers = { 'idempotency-key': 'mint' };
    const { body } = await world.request(add.method, add.path, { body: add.body, headers });
    plant('API key', body.data.token as string);
    await world.request(add.method, add.path, { body: add.body, headers, expect: 409 });
    const bearer = `Bearer ${body.data.token}`;
    await ask('POST', add.path, { scope: 'admin', description: body.data.token }, bearer);
    await ask('PUT', `/api/v2/rest-api/edit-key/${body.data.id}`, { description: 'renamed' }, bearer);
    await ask('GET', '/api/v2/rest-api/keys', undefined, bearer);
    await ask('DELETE', `/api/v2/rest-api/delete-key/${body.data.id}`, undefined, bearer);
  }

  async function exercise(): Promise<void> {
    const basicFault: FaultSpec = { kind: 'basic', user: HTTP_USER, password: HTTP_PASS };
    const input = {
      url: proxy.url,
      admin: site.admin,
      admin_password: site.adminPassword,
      http_user: HTTP_USER,
      http_pass: HTTP_PASS,
      unique_id: UNIQUE_ID,
    };
    await failingAdds(input);
    for (const secret of [HTTP_PASS, UNIQUE_ID, site.adminPassword]) {
      site.fault = echoFault(secret);
      await run('add-site-v1', input, 502);
      // The child may have taken the key, so the record is kept.
      site.fault = basicFault;
      await run('delete-site-v1', { site_id_or_domain: await id(), confirm: true });
    }
    site.fault = basicFault;
    await run('add-site-v1', input);
    await run('add-site-v1', input, 409);
    const site_id_or_domain = await id();
    const plugin = [...site.state.plugins].find(([, { active, mu }]) => !active && !mu)?.[0] ?? 'hello.php';
    const actions = async (): Promise<void> => {
      const one = { input: { site_id_or_domain } };
      const many = { input: { site_ids_or_domains: [site_id_or_domain] } };
      for (const name of ['sync-sites-v1', 'reconnect-sites-v1', 'check-sites-v1'])
        await ask('POST', `/abilities/v1/svc/${name}/run`, many);
      for (const name of ['reconnect-site-v1', 'check-site-v1'])
        await ask('POST', `/abilities/v1/svc/${name}/run`, one);
      for (const admin_password of [WRONG, site.adminPassword]) {
        await ask('POST', '/abilities/v1/svc/reconnect-site-v1/run', { input: { ...one.input, admin_password } });
        await ask('POST', '/abilities/v1/svc/reconnect-sites-v1/run', { input: { ...many.input, admin_password } });
      }
      const plugins = { input: { site_id_or_domain, slugs: [plugin] } };
      await ask('POST', '/abilities/v1/svc/activate-site-plugins-v1/run', plugins, credentials.bearer);
      await ask('POST', '/abilities/v1/svc/deactivate-site-plugins-v1/run', plugins);
    };
    await actions();
    await passwords(site_id_or_domain, true);
    const { create, edit, admin, import: imported } = USER_PASSWORDS;
    for (const password of [create, edit, admin, imported])
      assert.ok(
        site.state.users.some((user) => user.password === password),
        'the site has it',
      );
    // The site is added again with the planted password.
    site.state.users.forEach((user) => void (user.login === site.admin && (user.password = site.adminPassword)));
    for (const trouble of FAULTS) {
      site.fault = trouble;
      // A response that is too large is cut before it is read, so one call is enough.
      if (trouble.kind === 'huge') {
        await run('sync-sites-v1', { site_ids_or_domains: [site_id_or_domain] });
        continue;
      }
      await actions();
      await passwords(site_id_or_domain, false);
      world.container.services.sites.sites.get(site_id_or_domain).catch(() => undefined);
    }
    for (const secret of [HTTP_USER, HTTP_PASS, UNIQUE_ID, ...(proxy.recorded.get('regverify') ?? [])]) {
      site.fault = echoFault(secret);
      await actions();
    }
    site.fault = basicFault;
    await actions();
    await readEverything(site_id_or_domain);
  }

  /** Sends passwords of site users through every operation, optionally with wrong types. */
  async function passwords(siteId: number, withWrongShapes: boolean): Promise<void> {
    const { create, edit, admin, import: imported } = USER_PASSWORDS;
    const username = `u${randomUUID()}`;
    const user = { username, email: `${username}@example.com`, websites: [siteId] };
    const words = (password: string): unknown[] =>
      withWrongShapes ? [password, { [password]: 1 }, [password], password.repeat(20), `"${password}`] : [password];
    for (const password of words(create)) await ask('POST', '/api/v2/users/create', { ...user, password });
    for (const password of words(edit)) await ask('PUT', `/api/v2/users/${siteId}/2/edit`, { password, nickname: 'x' });
    for (const password of words(admin))
      await ask('PUT', '/api/v2/users/update-admin-password', { password, websites: [siteId] });
    const row = (password: string): string => `i${username},i${user.email},,,,${password},1,,${siteId},`;
    const rows = [row(imported), row(`'${imported}`), `"${row(imported)}`].join('\n');
    await send('POST', '/api/v2/users/import', (request) =>
      request.attach('csv_file', Buffer.from(rows), 'users.csv').field('has_header', '0'),
    );
  }

  async function failingAdds(input: Record<string, unknown>): Promise<void> {
    site.fault = { kind: 'basic', user: HTTP_USER, password: HTTP_PASS };
    await run('add-site-v1', { ...input, http_pass: WRONG }, 502);
    await run('add-site-v1', { ...input, admin_password: WRONG }, 502);
    await run('add-site-v1', { ...input, unique_id: WRONG }, 502);
    await run('add-site-v1', { ...input, http_user: undefined }, 400);
    // Wrong types: the error must not contain the value that was sent.
    for (const wrong of [{ [WRONG]: 1 }, [WRONG], WRONG.repeat(60)])
      for (const field of ['admin_password', 'http_pass', 'unique_id', 'client_id'])
        await run('add-site-v1', { ...input, [field]: wrong }, 400).catch((error: unknown) => {
          if (typeof wrong !== 'object') throw error;
        });
    await ask('POST', '/abilities/v1/svc/add-site-v1/run', `{"input": {"admin_password": "${WRONG}", `);
    await ask('GET', `/abilities/v1/svc/add-site-v1/run?input[admin_password]=${WRONG}`);
    await ask('GET', `/api/v2/jobs?token=${WRONG}`);
    await ask('GET', '/api/v2/jobs', undefined, `Bearer ${BAD_BEARER}`);
    await mintKey();
    await ask('GET', '/api/v2/jobs', undefined, `Basic ${Buffer.from(`canary-user:${WRONG}`).toString('base64')}`);
    for (const trouble of FAULTS) {
      site.fault = trouble;
      await ask('POST', '/abilities/v1/svc/add-site-v1/run', { input });
      const left = await id().catch(() => 0);
      if (left) await run('delete-site-v1', { site_id_or_domain: left, confirm: true });
    }
    site.fault = null;
    site.performWpAdminAction({ do: 'activate-child' });
  }

  /** Calls every read operation of both surfaces, and reads jobs and the change log. */
  async function readEverything(siteId: number): Promise<void> {
    const jobs = (await world.request('GET', '/api/v2/jobs?per_page=500')).body.data as { job_id: string }[];
    for (const surface of ['abilities', 'v2'] as const)
      for (const { path, verb, operation } of operationsOf(readContract(surface))) {
        if (verb !== 'get') continue;
        const filled = path
          .replace('{job_id}', jobs[0]?.job_id ?? 'x')
          .replace(/\{[a-z_]*(id|domain|site)[a-z_]*\}/, String(siteId))
          .replace(/\{[^}]+\}/, 'svc-sites');
        const asks = operation.parameters?.some(({ name }) => name === 'input') && !path.includes('job');
        const query = asks && /get-site/.test(path) ? `?input[site_id_or_domain]=${siteId}` : '';
        const base = surface === 'v2' ? '/api/v2' : '/abilities/v1';
        await ask('GET', base + filled + query, undefined, credentials.bearer);
        if (path === '/jobs/{job_id}')
          for (const { job_id } of jobs) await ask('GET', `/api/v2/jobs/${job_id}?per_page=500`);
      }
    for (const path of ['/metrics', '/readyz', '/healthz']) await ask('GET', path);
  }

  /** Returns the texts that contain a secret of this kind. */
  const leaks = (kind: string, texts: { what: string; text: string }[]): string[] =>
    (canaries.get(kind) ?? []).flatMap((secret) => {
      const forms = encodingsOf(secret);
      return texts
        .filter(({ text }) => forms.some((form) => text.includes(form)))
        .map(({ what, text }) => `${what}: ${text.slice(0, 300)}`);
    });

  const KINDS = [
    ...['application password', 'API key', 'password of the child', 'http_user', 'http_pass', 'unique_id'],
    ...['password of a user', 'private key', 'bad credential', 'mainwpsignature', 'regverify', 'userpwd', 'cookie'],
  ];

  for (const kind of KINDS)
    it(`when all operations were called, then no log line, response or column contains a secret of the kind "${kind}"`, async () => {
      assert.ok((canaries.get(kind)?.length ?? 0) > 0, 'none was met, so nothing is proved');
      const lines = logLines.map((text) => ({ what: 'log', text }));
      assert.deepEqual(leaks(kind, lines), []);
      assert.deepEqual(leaks(kind, answers), []);
      const cells = (await dumpDatabase(world.container.database)).map(({ place, text }) => ({ what: place, text }));
      assert.deepEqual(leaks(kind, cells), []);
    });

  it('when the child sends unused secrets, then they are dropped', async () => {
    assert.ok(proxy.recorded.has('extauth'));
    const cells = (await dumpDatabase(world.container.database)).map(({ place, text }) => ({ what: place, text }));
    assert.deepEqual(leaks('extauth', [...cells, ...answers]), []);
  });

  it('when the log level is debug and data exists, then a leak would be detected', async () => {
    assert.ok(logLines.some((line) => line.includes('"level":"debug"')));
    assert.ok(answers.length > 100);
    const cells = await dumpDatabase(world.container.database);
    assert.ok(cells.some(({ place }) => place === 'site_secrets.private_key'));
    assert.ok(cells.some(({ place, text }) => place === 'sites.url' && text === proxy.url));
    assert.ok(cells.some(({ place }) => place === 'changes.description'));
    const planted = [{ what: 'planted', text: `x${Buffer.from(`yy${HTTP_PASS}zz`).toString('base64')}` }];
    assert.equal(leaks('http_pass', planted).length, 1);
  });
});
