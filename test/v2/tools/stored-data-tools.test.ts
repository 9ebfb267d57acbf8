import assert from 'node:assert/strict';
import { startWorld, type World } from '../../support/world.ts';

describe('v2 tools for stored data', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  const tools = '/api/v2/settings/tools';

  describe('clear-activation-data', () => {
    it('when modules were switched off, then the tool activates all of them', async () => {
      for (const slug of ['comments', 'logs'])
        await world.request('PUT', `/api/v2/modules/${slug}`, { body: { active: false } });
      const { body } = await world.request('POST', `${tools}/clear-activation-data`);
      assert.deepEqual(body.data, { switched_on: ['comments', 'logs'] });
      const { body: modules } = await world.request('GET', '/api/v2/modules');
      assert.ok(modules.data.every(({ active }: { active: boolean }) => active));
      const { body: again } = await world.request('POST', `${tools}/clear-activation-data`);
      assert.deepEqual(again.data, { switched_on: [] });
      const { body: unchanged } = await world.request('GET', '/api/v2/modules');
      assert.deepEqual(unchanged, modules, 'a reset that changes nothing keeps the times');
    });

    it('when the caller is no administrator, then the call is rejected', async () => {
      for (const as of ['viewer', 'writer'] as const)
        await world.request('POST', `${tools}/clear-activation-data`, { as, expect: 403 });
    });
  });

  describe('restore-info-messages', () => {
    const dismiss = async (message_id: string, options: object = {}) =>
      (await world.request('POST', `${tools}/info-messages/dismiss`, { body: { message_id }, ...options })).body;
    const dismissed = async (query = '', options: object = {}) =>
      (await world.request('GET', `${tools}/info-messages/dismissed${query}`, options)).body;
    const idsOf = ({ data }: { data: { message_id: string }[] }) => data.map(({ message_id }) => message_id).sort();

    it('when dismissed messages are restored, then the caller has none, and other users never had any', async () => {
      const { data } = await dismiss('getting-started');
      assert.deepEqual((await dismiss('getting-started')).data, data);
      await dismiss('what-is-new.2');
      assert.deepEqual(idsOf(await dismissed()), ['getting-started', 'what-is-new.2']);
      assert.deepEqual(idsOf(await dismissed('', { as: 'viewer' })), []);
      const page = await dismissed('?per_page=1&page=2');
      assert.deepEqual([page.total, page.pages, page.data.length], [2, 2, 1]);
      const { body } = await world.request('POST', `${tools}/restore-info-messages`);
      assert.deepEqual(body.data, { restored: 2 });
      assert.deepEqual(idsOf(await dismissed()), []);
    });

    it('when a message ID is invalid or the caller may only read, then the call is rejected', async () => {
      for (const name of ['', '-x', 'a b', 'x'.repeat(101)]) await dismiss(name, { expect: 400 });
      await dismiss('x', { as: 'reader', expect: 403 });
      await world.request('POST', `${tools}/restore-info-messages`, { as: 'reader', expect: 403 });
    });
  });
});
