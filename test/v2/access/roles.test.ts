import assert from 'node:assert/strict';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/rest-api';

describe('v2 roles and users of the service', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 1 });
  });
  after(() => world.close());

  const by = (token: string): { as: 'nobody'; headers: Record<string, string> } => ({
    as: 'nobody',
    headers: { authorization: `Bearer ${token}` },
  });
  const post = async (path: string, body: object, options: object = {}) =>
    (await world.request('POST', `${BASE}${path}`, { body, ...options })).body;
  /** Creates a role, a user who has it and a key of the user. */
  async function keyOf(name: string, permissions: string[], scope = 'read_write') {
    await post('/roles/add', { name, permissions });
    const { data: user } = await post('/users/add', { name: `user of ${name}`, role: name });
    const { data: key } = await post('/add-key', { user: user.id, scope });
    return { user, token: key.token as string };
  }
  const denied = async (method: string, path: string, token: string, permission: string, body?: object) => {
    const options = { ...by(token), expect: 403, ...(body === undefined ? {} : { body }) };
    const { body: answer } = await world.request(method, path, options);
    assert.deepEqual([answer.code, answer.data.permission], ['svc_permission_denied', permission], path);
  };

  it('when roles are listed, then the built-in ones come first, with their permissions and users', async () => {
    const { body } = await world.request('GET', `${BASE}/roles?per_page=500`);
    const names = body.data.map(({ name }: { name: string }) => name);
    assert.deepEqual(names.slice(0, 6), ['administrator', 'manager', 'operator', 'editor', 'viewer', 'client']);
    assert.equal(body.total, names.length);
    const [administrator, , operator, , , client] = body.data;
    assert.ok(administrator.permissions.includes('access:manage') && administrator.built_in);
    assert.ok(administrator.users >= 1);
    for (const wanted of ['sites:sync', 'updates:run']) assert.ok(operator.permissions.includes(wanted), wanted);
    for (const unwanted of ['sites:write', 'content:write', 'settings:manage'])
      assert.ok(!operator.permissions.includes(unwanted), unwanted);
    assert.deepEqual(client.permissions, ['abilities:read', 'reports:read', 'uptime:read']);
  });

  it('when a role is made, then its user may make the calls of its permissions and no others', async () => {
    const { token } = await keyOf('tagger', ['tags:read', 'tags:write']);
    await world.request('POST', '/api/v2/tags/add', { ...by(token), body: { name: 'by a tagger' } });
    await world.request('GET', '/api/v2/tags', by(token));
    await denied('GET', '/api/v2/sites', token, 'sites:read');
    await denied('POST', '/api/v2/clients/add', token, 'clients:write', { name: 'A client' });
    await denied('GET', '/abilities/v1/svc/list-updates-v1/run', token, 'updates:read');
    await denied('GET', `${BASE}/roles`, token, 'access:manage');
  });

  it('when the change log of the fleet is read, then a key needs the scope read_write, and that of a site read', async () => {
    const [siteId] = world.siteIds;
    const { user, token } = await keyOf('auditor', ['audit:read', 'changes:read']);
    await world.request('GET', '/api/v2/changes', by(token));
    const { token: reading } = (await post('/add-key', { user: user.id, scope: 'read' })).data;
    await denied('GET', '/api/v2/changes', reading, 'audit:read');
    await world.request('GET', `/api/v2/sites/${siteId}/non-svc-changes`, by(reading));
    for (const { name, permissions } of (await world.request('GET', `${BASE}/roles`)).body.data)
      assert.equal(permissions.includes('audit:read'), ['administrator', 'auditor'].includes(name), name);
  });

  it('when the scope of a key is narrower than the role, then both count', async () => {
    const { token } = await keyOf('reader-of-tags', ['tags:read', 'tags:write'], 'read');
    await world.request('GET', '/api/v2/tags', by(token));
    await denied('POST', '/api/v2/tags/add', token, 'tags:write', { name: 'no' });
  });

  it('when items of a batch need permissions that the caller lacks, then only those items fail', async () => {
    const { token } = await keyOf('batcher', ['batch:run', 'tags:write']);
    const body = { tags: { create: [{ name: 'in a batch' }] }, clients: { create: [{ name: 'A client' }] } };
    const { body: answer } = await world.request('POST', '/api/v2/batch', { ...by(token), body });
    const text = JSON.stringify(answer);
    assert.ok(text.includes('in a batch'));
    assert.ok(text.includes('"permission":"clients:write"'), text);
  });

  it('when a role is changed, then the next call of its user follows it', async () => {
    const { token } = await keyOf('changing', ['tags:read']);
    await world.request('GET', '/api/v2/tags', by(token));
    const { body } = await world.request('PUT', `${BASE}/roles/changing/edit`, {
      body: { permissions: ['sites:read', 'clients:read', 'sites:read'], description: ' Reads. ' },
    });
    const wanted = { name: 'changing', description: 'Reads.', permissions: ['clients:read', 'sites:read'] };
    assert.deepEqual(body.data, { ...wanted, built_in: false, users: 1 });
    assert.deepEqual((await world.request('GET', `${BASE}/roles/changing`)).body.data, body.data);
    await denied('GET', '/api/v2/tags', token, 'tags:read');
    await world.request('GET', '/api/v2/sites', by(token));
    await world.request('PATCH', `${BASE}/roles/changing/edit`, { body: { name: 'changed' } });
    await world.request('GET', '/api/v2/sites', by(token));
    await world.request('GET', `${BASE}/roles/changing`, { expect: 404 });
  });

  it('when a role has users, then it cannot be deleted, and afterwards it can', async () => {
    const { user } = await keyOf('in-use', ['tags:read']);
    const remove = (expect: number) => world.request('DELETE', `${BASE}/roles/in-use/delete`, { expect });
    assert.equal((await remove(409)).body.code, 'svc_in_use');
    await world.request('PUT', `${BASE}/users/${user.id}/edit`, { body: { role: 'viewer' } });
    assert.equal((await remove(200)).body.data.name, 'in-use');
    assert.equal((await remove(404)).body.code, 'svc_role_not_found');
    const { body } = await world.request('GET', '/api/v2/changes?type=role.deleted');
    assert.equal(body.data[0].name, 'in-use');
  });

  it('when a role is invalid, taken or built-in, then the call fails and names the field', async () => {
    const refused = await post(
      '/roles/add',
      { name: 'viewer', permissions: ['tags:read', 'tags:eat'] },
      { expect: 400 },
    );
    assert.deepEqual(
      refused.data.errors.map(({ path }: { path: string }) => path),
      ['body.name', 'body.permissions[1]'],
    );
    await post('/roles/add', { name: 'taken', permissions: [] });
    assert.equal(
      (await post('/roles/add', { name: 'taken', permissions: [] }, { expect: 409 })).code,
      'svc_already_exists',
    );
    const edit = { body: { permissions: [] }, expect: 409 };
    assert.equal((await world.request('PUT', `${BASE}/roles/viewer/edit`, edit)).body.code, 'svc_built_in');
    const gone = await world.request('DELETE', `${BASE}/roles/viewer/delete`, { expect: 409 });
    assert.equal(gone.body.code, 'svc_built_in');
  });

  it('when a caller gives more than it has, then the call fails', async () => {
    const own = ['access:manage', 'tags:read'];
    const { token } = await keyOf('limited-admin', own);
    const admin = (await world.request('GET', `${BASE}/users`)).body.data[0];
    assert.equal(admin.role, 'administrator');
    const key = await post('/add-key', { user: admin.id, scope: 'read' }).then(({ data }) => data);
    await post('/roles/add', { name: 'larger', permissions: ['tags:write'] });
    const as = by(token);
    for (const [method, path, body] of [
      ['POST', '/roles/add', { name: 'more', permissions: ['tags:write'] }],
      ['DELETE', '/roles/larger/delete', undefined],
      ['PUT', '/roles/limited-admin/edit', { permissions: [...own, 'tags:write'] }],
      ['POST', '/users/add', { name: 'More', role: 'viewer' }],
      ['PUT', `/users/${admin.id}/edit`, { enabled: false }],
      ['DELETE', `/users/${admin.id}/delete`, undefined],
      ['POST', `/users/${admin.id}/add-password`, { description: 'mine' }],
      ['POST', `/users/${admin.id}/revoke-passwords`, undefined],
      ['POST', '/add-key', { user: admin.id, scope: 'read' }],
      ['PUT', `/edit-key/${key.id}`, { scope: 'read_write' }],
      ['DELETE', `/delete-key/${key.id}`, undefined],
    ] as const) {
      const options = { ...as, expect: 403, ...(body === undefined ? {} : { body }) };
      const { body: answer } = await world.request(method, `${BASE}${path}`, options);
      assert.equal(answer.code, 'svc_permission_denied', path);
    }
    await world.request('POST', `${BASE}/roles/add`, { ...as, body: { name: 'less', permissions: ['tags:read'] } });
    await world.request('POST', `${BASE}/users/add`, { ...as, body: { name: 'Less', role: 'less' } });
  });

  it('when a caller is no administrator, then it cannot remove a limit of sites', async () => {
    const { token } = await keyOf('limiter', ['access:manage', 'tags:read']);
    await post('/roles/add', { name: 'small', permissions: ['tags:read'] });
    const { data: user } = await post('/users/add', { name: 'Small', role: 'small', limit: {} });
    const { data: key } = await post('/add-key', { user: user.id, scope: 'read', limit: {} });
    const edit = (path: string, limit: object | null, expect: number) =>
      world.request('PUT', `${BASE}${path}`, { ...by(token), body: { limit }, expect });
    for (const path of [`/users/${user.id}/edit`, `/edit-key/${key.id}`]) {
      assert.equal((await edit(path, null, 403)).body.code, 'svc_permission_denied');
      await edit(path, { sites: [] }, 200);
    }
  });

  it('when a user is added, then its password works until it is revoked, and its role decides', async () => {
    const { data: user } = await post('/users/add', { name: 'Bea', role: 'operator' });
    assert.deepEqual(user, { ...user, name: 'Bea', role: 'operator', enabled: true });
    assert.deepEqual((await world.request('GET', `${BASE}/users/${user.id}`)).body.data, user);
    const { data } = await post(`/users/${user.id}/add-password`, { description: 'laptop' });
    const headers = { authorization: `Basic ${Buffer.from(`bea:${data.password}`).toString('base64')}` };
    const asBea = { as: 'nobody' as const, headers };
    await world.request('GET', '/api/v2/sites', asBea);
    await world.request('POST', '/api/v2/tags/add', { ...asBea, body: { name: 'no' }, expect: 403 });
    await world.request('PUT', `${BASE}/users/${user.id}/edit`, { body: { enabled: false } });
    await world.request('GET', '/api/v2/sites', { ...asBea, expect: 401 });
    await world.request('PUT', `${BASE}/users/${user.id}/edit`, { body: { enabled: true } });
    assert.equal((await post(`/users/${user.id}/revoke-passwords`, {})).revoked, 1);
    await world.request('GET', '/api/v2/sites', { ...asBea, expect: 401 });
    const again = await post('/users/add', { name: 'BEA', role: 'viewer' }, { expect: 409 });
    assert.equal(again.code, 'svc_already_exists');
    const unknown = await post('/users/add', { name: 'Cy', role: 'nothing' }, { expect: 404 });
    assert.equal(unknown.code, 'svc_role_not_found');
    await world.request('DELETE', `${BASE}/users/${user.id}/delete`);
    await world.request('GET', `${BASE}/users/${user.id}`, { expect: 404 });
  });

  it('when the last administrator loses the role, then the call fails', async () => {
    const { body } = await world.request('GET', `${BASE}/users?per_page=500`);
    const [admin] = body.data.filter(({ role }: { role: string }) => role === 'administrator');
    const edit = { body: { role: 'viewer' }, expect: 400 };
    const answer = (await world.request('PUT', `${BASE}/users/${admin.id}/edit`, edit)).body;
    assert.equal(answer.data.errors[0].path, 'body.role');
    const limited = await post('/users/add', { name: 'Limited admin', role: 'administrator', limit: {} });
    const limit = { body: { limit: {} }, expect: 400 };
    const refused = (await world.request('PUT', `${BASE}/users/${admin.id}/edit`, limit)).body;
    assert.equal(refused.data.errors[0].path, 'body.limit');
    await world.request('PUT', `${BASE}/users/${admin.id}/edit`, edit);
    await world.request('DELETE', `${BASE}/users/${limited.data.id}/delete`);
  });
});
