import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createContainer } from '../../src/service/container.ts';
import { MINUTE } from '../../src/shared/clock.ts';
import { TestMcpClient, connectMcp } from '../support/mcp.ts';
import { createTag } from '../support/tags.ts';
import { startWorld, testConfig, type World } from '../support/world.ts';

const env = { SITEFLEET_SECRET_KEY: randomBytes(32).toString('base64') };

describe('MCP confirmation tokens', () => {
  let world: World;
  let mcp: TestMcpClient;
  let lateMs = 0;
  before(async () => {
    world = await startWorld({ sites: 1, env, overrides: { clock: { now: () => Date.now() + lateMs } } });
    mcp = await connectMcp(world);
  });
  after(async () => {
    await mcp.close();
    await world.close();
  });

  const aTag = (name: string): Promise<number> => createTag(world, name);
  const isThere = async (id: number): Promise<boolean> =>
    (await world.ability('list-tags-v1', { include: [id] })).total === 1;
  const confirm = (id: number, token: string, by = mcp) =>
    by.run('delete-tag-v1', { tag_id: id }, { confirmation_token: token });
  async function assertRefused(answer: ReturnType<TestMcpClient['run']>, because: RegExp, id: number): Promise<void> {
    const { isError, data } = await answer;
    assert.deepEqual([isError, data.code], [true, 'svc_confirmation_required']);
    assert.match(data.message, because);
    assert.ok(await isThere(id), 'nothing was done');
  }

  it('when a destructive ability is called without a token, then a preview is returned, whatever its input', async () => {
    const id = await aTag('kept');
    for (const input of [{ tag_id: id }, { tag_id: id, confirm: true }]) {
      const { data, token } = await mcp.preview('delete-tag-v1', input);
      assert.deepEqual([data.dry_run, data.tag_name], [true, 'kept']);
      assert.ok(token);
    }
    const direct = await mcp.call('delete-tag-v1', { tag_id: id, confirm: true });
    assert.match(direct.notes, /Nothing was changed/);
    assert.ok(await isThere(id));
  });

  it('when the same call is sent with its token, then it runs once', async () => {
    const [id, token] = await previewed('gone');
    const { data } = await confirm(id, token);
    assert.deepEqual([data.deleted, data.tag_name], [true, 'gone']);
    assert.ok(!(await isThere(id)));
    const again = await confirm(id, token);
    assert.match(again.data.message, /already been used/);
  });

  it('when a token belongs to other arguments or another ability or is invented, then nothing is done', async () => {
    const [id, token] = await previewed('one');
    const other = await aTag('other');
    await assertRefused(confirm(other, token), /not issued to this caller for these arguments/, other);
    const site = mcp.run('delete-site-v1', { site_id_or_domain: 1 }, { confirmation_token: token });
    await assertRefused(site, /not issued/, id);
    assert.equal((await world.ability('count-sites-v1')).total, 1);
    const [expires = '', nonce = '', proof = ''] = token.split('.');
    for (const forged of ['', 'a.b.c', `zzzzzzzzz.${nonce}.${proof}`, `${expires}.${nonce}.${'0'.repeat(64)}`])
      await assertRefused(confirm(id, forged), /not issued/, id);
  });

  it('when another caller sends the token, then nothing is done', async () => {
    const [id, token] = await previewed('mine');
    const writer = await connectMcp(world, 'writer');
    await assertRefused(confirm(id, token, writer), /not issued to this caller/, id);
    await writer.close();
    const viewer = await connectMcp(world, 'viewer');
    const viewed = await viewer.call('delete-tag-v1', { tag_id: id, confirmation_token: token });
    assert.ok(viewed.isError && (await isThere(id)));
    assert.equal((await viewer.call('delete-tag-v1', { tag_id: id })).data.code, 'svc_permission_denied');
    await viewer.close();
  });

  it('when the token has expired, then nothing is done', async () => {
    const [id, token] = await previewed('late');
    lateMs += 5 * MINUTE + 1;
    await assertRefused(confirm(id, token), /has expired/, id);
  });

  it('when an ability has no dry run, then its input is validated and the site is not called', async () => {
    const { slug } = [...world.site(0).state.plugins.keys()].map((file) => ({ slug: file }))[0] ?? assert.fail();
    const before = world.site(0).requests.length;
    const { data } = await mcp.preview('delete-site-plugins-v1', { site_id_or_domain: 1, slugs: [slug] });
    assert.deepEqual(data, { would_run: 'delete-site-plugins-v1', with: { site_id_or_domain: 1, slugs: [slug] } });
    assert.equal(world.site(0).requests.length, before);
    const bad = await mcp.run('delete-site-plugins-v1', { site_id_or_domain: 1 });
    assert.deepEqual([bad.isError, bad.data.code], [true, 'ability_invalid_input']);
  });

  it('when only a dry run is requested, then the preview has no token', async () => {
    const id = await aTag('looked at');
    const { data, notes } = await mcp.run('delete-tag-v1', { tag_id: id, dry_run: true });
    assert.deepEqual([data.dry_run, notes], [true, '']);
    assert.ok(await isThere(id));
  });

  it('when there are several processes, then each accepts the token, and it can be used once', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { database, clock, logger } = world.container;
    const second = await createContainer(testConfig(url, env), { database, clock, logger, tickMs: null });
    server.on('request', second.app);
    const there = await TestMcpClient.connect(url, world.authorizations.admin);
    try {
      const [id, token] = await previewed('shared');
      const [here, beside] = await Promise.all([confirm(id, token), confirm(id, token, there)]);
      assert.deepEqual([here.isError, beside.isError].sort(), [false, true]);
      assert.match([here, beside].find(({ isError }) => isError)?.data.message, /already been used/);
      const [next, itsToken] = await previewed('next');
      assert.equal((await confirm(next, itsToken, there)).data.deleted, true);
    } finally {
      await there.close();
      server.closeAllConnections();
      server.close();
      await second.close();
    }
  });

  async function previewed(name: string): Promise<[id: number, token: string]> {
    const id = await aTag(name);
    return [id, (await mcp.preview('delete-tag-v1', { tag_id: id })).token];
  }
});
