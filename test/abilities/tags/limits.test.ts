import assert from 'node:assert/strict';
import { callerWithin } from '../../support/limited-keys.ts';
import { assertWritesRefused, comparable, refusalOf } from '../../support/limited-writes.ts';
import { seedSite } from '../../support/sites.ts';
import { createTag } from '../../support/tags.ts';
import { startWorld, type CallOptions, type World } from '../../support/world.ts';

const OUTSIDE = refusalOf('tag', 1);

describe('writes of tag abilities by a limited caller', () => {
  let world: World;
  let sites: number[];
  let me: CallOptions;

  beforeEach(async () => {
    world = await startWorld();
    sites = [];
    for (let n = 0; n < 3; n++) sites.push((await seedSite(world)).id);
    me = await callerWithin(world, { sites: [sites[0]] });
  });
  afterEach(() => world.close());

  const writesOf = (tag: number, name = 'mine') =>
    [
      ['update-tag-v1', { tag_id: tag, name }],
      ['update-tag-v1', { tag_id: tag, color: '#123456' }],
      ['delete-tag-v1', { tag_id: tag, dry_run: true }],
      ['delete-tag-v1', { tag_id: tag, confirm: true }],
    ] as const;
  const run = (name: string, input: object, expect: number) => world.ability(name, input, { ...me, expect });

  it('when a tag has sites outside or none inside, then each write fails with their number, or as for no tag', async () => {
    const shared = await createTag(world, 'shared', ...sites.slice(0, 2));
    const hidden = await createTag(world, 'hidden', ...sites.slice(2));
    await assertWritesRefused(run, writesOf, { shared, hidden }, OUTSIDE, 'svc_tag_not_found');
    const query = `input[tag_id]=${shared}&input[confirm]=true`;
    const { body } = await world.request('DELETE', `/abilities/v1/svc/delete-tag-v1/run?${query}`, {
      ...me,
      expect: 403,
    });
    assert.deepEqual(body, OUTSIDE);
    assert.equal((await run('add-tag-v1', { name: 'new' }, 403)).code, 'svc_outside_limits');
    const kept = await run('update-tag-v1', { tag_id: shared, name: 'shared' }, 200);
    assert.deepEqual([kept.name, kept.sites_count], ['shared', 1]);
  });

  it('when the limit has all sites of the fleet, then each write answers as without a limit', async () => {
    const answersOf = async (name: string, site: number | undefined, limit: object | null): Promise<string> => {
      me = await callerWithin(world, limit);
      const tag = await createTag(world, name, site ?? 0);
      const answers: unknown[] = [];
      for (const [ability, input] of writesOf(tag, `${name} 2`)) answers.push(await run(ability, input, 200));
      for (const [ability, input] of writesOf(tag)) answers.push(await run(ability, input, 404));
      return comparable(answers, name);
    };
    const free = await answersOf('free', sites[1], null);
    assert.equal(await answersOf('full', sites[2], { sites }), free);
    assert.match(free, /"would_affect":\{"sites":1,.*"clients":0\}/);
  });
});
