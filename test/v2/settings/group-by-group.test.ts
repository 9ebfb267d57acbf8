import assert from 'node:assert/strict';
import { SETTINGS } from '../../../src/domains/settings/index.ts';
import { schemasOf, type Schema } from '../../../src/contract/index.ts';
import { readContract } from '../../../src/surfaces/generated-files.ts';
import { refuseValues, schemaWithoutNull, tryValue, testValuesOf } from '../../support/setting-values.ts';
import { startWorld, type World } from '../../support/world.ts';

const schemas = schemasOf(readContract('v2'));

/** Fields of each provider besides `enabled`. `secret_set` is true if the provider has its secret. */
const PROVIDERS: Record<string, { fields: string[]; all: object }> = {
  cpanel: { fields: ['url', 'username', 'password'], all: { url: 'https://a.example', username: 'a', password: 'b' } },
  digitalocean: { fields: ['secrets'], all: { secrets: { api_key: 'a' } } },
  kinsta: { fields: ['company_id', 'secrets'], all: { company_id: 'a', secrets: { api_key: 'a' } } },
  linode: { fields: ['secrets'], all: { secrets: { api_key: 'a' } } },
  vultr: { fields: ['secrets'], all: { secrets: { api_key: 'a' } } },
};
const SECRETS = ['password', 'secrets'];

describe('settings that are edited per part', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ overrides: { tickMs: null } });
    await world.request('PUT', '/api/v2/settings/general/edit', { body: { check_http_response: 1 } });
  });
  after(() => world.close());

  const doorOf = (path: string, part: (data: Record<string, Record<string, unknown>>) => unknown, name: string) => ({
    read: async () =>
      part((await world.request('GET', path)).body.data as Record<string, Record<string, unknown>>) as Record<
        string,
        unknown
      >,
    edit: (body: object, expect = 200) => world.request('PATCH', `${path}/${name}/edit`, { body, expect }),
  });

  describe('emails', () => {
    const fields = Object.entries(schemas['EmailSettingsEdit']?.properties ?? {});
    for (const [type, { fields: presets }] of Object.entries(SETTINGS.emails.fields))
      it(`when ${type} is edited, then valid values are stored, others rejected, and null resets`, async () => {
        const door = doorOf('/api/v2/settings/emails', (data) => data[type], type);
        const { type: named, ...values } = await door.read();
        assert.equal(named, type);
        const defaults = Object.entries(presets).map(([name, preset]) => [name, preset.default]);
        assert.deepEqual(values, Object.fromEntries(defaults));
        assert.deepEqual(fields.map(([name]) => name).sort(), Object.keys(presets).sort());
        for (const [name, schema] of fields) await tryValue(door, [name], schema);
        await refuseValues(door, ['not_a_setting'], [1]);
      });
  });

  describe('api-backups', () => {
    const fields = Object.entries<Schema>(schemas['BackupProviderEdit']?.properties ?? {});
    for (const [slug, { fields: own, all }] of Object.entries(PROVIDERS))
      it(`when ${slug} is edited, then valid values of its fields are stored and all others rejected`, async () => {
        const door = doorOf('/api/v2/settings/api-backups', (data) => data['api_backups']?.[slug], slug);
        for (const [name, schema] of fields) {
          const inner = schemaWithoutNull(schema).properties ?? {};
          const places = Object.keys(inner).length > 0 ? Object.keys(inner).map((key) => [name, key]) : [[name]];
          for (const path of places) {
            const { good, bad } = testValuesOf(path[1] ? (inner[path[1]] as Schema) : schema);
            if (name === 'enabled') await refuseValues(door, path, bad);
            else if (!own.includes(name)) await refuseValues(door, path, [...good, ...bad]);
            else if (SECRETS.includes(name)) {
              const patch = (value: unknown) => path.reduceRight((value, key) => ({ [key]: value }), value) as object;
              const { body } = await door.edit(patch(good[0]));
              assert.equal(body.data.secret_set, true);
              await refuseValues(door, path, bad);
              assert.equal((await door.edit(patch(null))).body.data.secret_set, false);
            } else {
              const { body } = await door.edit({ [name]: good[0] });
              assert.equal(body.data[name], good[0]);
              await refuseValues(door, path, bad);
              assert.equal((await door.edit({ [name]: null })).body.data[name], '');
            }
          }
        }
        await refuseValues(door, ['not_a_setting'], [1]);
        assert.equal((await door.edit({ enabled: true, ...all })).body.data.enabled, 1);
        assert.equal((await door.edit({ enabled: false })).body.data.enabled, 0);
      });
  });

  for (const [group, part] of [
    ['emails', 'uptime'],
    ['api-backups', 'linode'],
  ] as const)
    it(`when an edit of ${group} has an outdated ETag, then it is rejected`, async () => {
      const path = `/api/v2/settings/${group}`;
      const changeTo = (value: string | null) =>
        group === 'emails' ? { heading: value } : { secrets: { api_key: value } };
      const { headers } = await world.request('GET', path);
      const edit = (tag: unknown, expect: number) =>
        world.request('PUT', `${path}/${part}/edit`, {
          body: changeTo('Another'),
          headers: { 'if-match': String(tag) },
          expect,
        });
      const { headers: after } = await edit(headers.etag, 200);
      await edit(headers.etag, 412);
      await edit(after.etag, 200);
      await world.request('PUT', `${path}/${part}/edit`, { body: changeTo(null) });
    });
});
