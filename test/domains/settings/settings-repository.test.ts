import assert from 'node:assert/strict';
import { Sealing } from '../../../src/db/sealing.ts';
import { SettingsRepository } from '../../../src/domains/settings/settings-repository.ts';
import { withFreshDatabase, type TestDatabase } from '../../support/database.ts';

describe('settings repository', () => {
  let store: TestDatabase;
  withFreshDatabase((opened) => (store = opened));

  it('when a secret is stored, then no row contains it, and it is decrypted only under its own name', async () => {
    const repository = new SettingsRepository(store.database.knex, new Sealing(Sealing.newKey()));
    const value = repository.seal('group.key', 'open sesame');
    await repository.put([{ name: 'group.key', value }], 1);
    assert.doesNotMatch(JSON.stringify(await store.database.knex('settings').select()), /sesame/);
    const stored = (await repository.find('group.key')) ?? assert.fail();
    assert.equal(repository.open(stored), 'open sesame');
    assert.throws(() => repository.open({ ...stored, name: 'group.other' }), /sealed with another key/);
    assert.equal(await repository.find('group.other'), null);
  });
});
