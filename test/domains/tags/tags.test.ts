import assert from 'node:assert/strict';
import { readRevision } from '../../../src/db/revisions.ts';
import { ChangeLog } from '../../../src/domains/changes/index.ts';
import { TagService } from '../../../src/domains/tags/index.ts';
import { ConflictError, InvalidError, NotFoundError } from '../../../src/shared/errors.ts';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { loggedChanges } from '../../support/changes.ts';
import { withFreshDatabase, type TestDatabase } from '../../support/database.ts';
import { storeSite } from '../../support/sites.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const clock = { now: () => NOW };

describe('tags', () => {
  let store: TestDatabase;
  let tags: TagService;

  withFreshDatabase((fresh) => {
    store = fresh;
    tags = new TagService({
      knex: store.database.knex,
      clock,
      changeLog: new ChangeLog(clock),
      deletionCounts: () => [],
    });
  });

  it('when a tag is created, then get returns it', async () => {
    const created = await tags.create({ name: ' Staging ', color: '#1A73E8' }, 'tester');
    assert.deepEqual(created, {
      id: created.id,
      name: 'Staging',
      color: '#1a73e8',
      sitesCount: 0,
      createdAt: NOW,
      updatedAt: NOW,
      revision: 1,
      siteIds: [],
    });
    assert.deepEqual(await tags.get(ALL_SITES, created.id), created);
  });

  it('when a tag has a color, then it is stored as #rrggbb, otherwise as null', async () => {
    assert.equal((await tags.create({ name: 'short', color: '#AbC' }, 'tester')).color, '#aabbcc');
    assert.equal((await tags.create({ name: 'none' }, 'tester')).color, null);
    assert.equal((await tags.create({ name: 'null', color: null }, 'tester')).color, null);
  });

  it('when a color is invalid or a name is missing, then the tag is rejected', async () => {
    for (const color of ['red', '#12', '#1234', '#12345g', '1a73e8', '', '#1a73e8;'])
      await assert.rejects(tags.create({ name: 'x', color }, 'tester'), InvalidError, color);
    for (const name of ['', '   ', 'x'.repeat(256)])
      await assert.rejects(tags.create({ name }, 'tester'), (error) => {
        assert.ok(error instanceof InvalidError);
        assert.deepEqual(
          error.data.errors?.map(({ path }) => path),
          ['name'],
        );
        return true;
      });
  });

  it('when a name is taken in any case, then the tag is rejected', async () => {
    await tags.create({ name: 'Staging' }, 'tester');
    const before = await readRevision(store.database.knex, 'tags');
    await assert.rejects(
      tags.create({ name: 'sTAGING' }, 'tester'),
      (error) => error instanceof ConflictError && error.code === 'svc_already_exists',
    );
    assert.equal(await readRevision(store.database.knex, 'tags'), before);
    assert.equal((await loggedChanges(store.database.knex, 'type')).length, 1);
  });

  it('when a tag does not exist, then get fails with svc_tag_not_found', async () => {
    await assert.rejects(
      tags.get(ALL_SITES, 7),
      (error) => error instanceof NotFoundError && error.code === 'svc_tag_not_found',
    );
  });

  it('when sites have a tag, then sitesCount counts them', async () => {
    const { id } = await tags.create({ name: 'shop' }, 'tester');
    const { id: idle } = await tags.create({ name: 'idle' }, 'tester');
    for (const key of ['a.example', 'b.example']) await storeSite(store.database.knex, key, { tagIds: [id] });
    assert.equal((await tags.get(ALL_SITES, id)).sitesCount, 2);
    assert.equal((await tags.get(ALL_SITES, idle)).sitesCount, 0);
  });

  it('when a tag is created, then the change is logged and the revision is incremented', async () => {
    const before = await readRevision(store.database.knex, 'tags');
    await tags.create({ name: 'shop' }, 'tester');
    assert.equal(await readRevision(store.database.knex, 'tags'), before + 1);
    const [entry] = await loggedChanges(store.database.knex, 'site_id', 'type', 'actor', 'source');
    assert.deepEqual(entry, { site_id: null, type: 'tag.added', actor: 'tester', source: 'dashboard' });
  });
});
