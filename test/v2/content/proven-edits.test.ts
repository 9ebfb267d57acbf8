import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { readChangesOf } from '../../support/changes.ts';
import { withContentWorld } from '../../support/content.ts';
import type { World } from '../../support/world.ts';

const NEW = { post_title: 'A title', post_content: 'text', post_status: 'draft', post_name: 'a-title' };
const LATER = { post_date: '2031-05-06 07:08:09', post_date_gmt: '2031-05-06 05:08:09' };

describe('v2 post edits that the site does not carry out', () => {
  let world: World;
  let site: SimulatedSite;
  let root: string;
  withContentWorld({}, (started) => ({ world, site, root } = started));
  afterEach(() => site.defects.falseSuccesses.clear());

  const create = async (body: object = {}): Promise<number> =>
    (await world.request('POST', `${root}/create`, { body: { ...NEW, ...body } })).body.data.post_id;
  const edit = (id: number, body: object, expect = 200) => world.request('PUT', `${root}/${id}/edit`, { body, expect });
  const logged = () => readChangesOf(world, world.siteId(0), 'post.%');
  const loggedTypes = async (since: { type: string }[]) => (await logged()).slice(since.length).map(({ type }) => type);

  for (const change of [
    { post_title: 'Another title' },
    { post_content: 'more' },
    { post_status: 'publish' },
    { post_status: 'private' },
    { post_status: 'trash' },
    { comment_status: 'closed' },
    { post_custom: { color: 'blue' } },
    { is_sticky: 1 },
    LATER,
  ])
    it(`when the site claims an edit of ${Object.keys(change).join()} but keeps the value, then the edit fails and nothing is logged`, async () => {
      const id = await create({ post_custom: { color: 'red' } });
      const before = await logged();
      site.defects.falseSuccesses.add(`post ${id}`);
      const { body } = await edit(id, change, 502);
      assert.deepEqual([body.code, body.data.outcome], ['svc_site_bad_answer', 'answered']);
      assert.deepEqual(await logged(), before);
    });

  it('when the site claims a creation but has no such post, then the creation fails and nothing is logged', async () => {
    const before = await logged();
    site.defects.falseSuccesses.add('new post');
    for (const post_title of ['Plain', 'Filtered & completed']) {
      const { body } = await world.request('POST', `${root}/create`, { body: { ...NEW, post_title }, expect: 502 });
      assert.deepEqual([body.code, body.data.outcome], ['svc_site_bad_answer', 'answered']);
    }
    assert.deepEqual(await logged(), before);
  });

  it('when the post cannot be read after its creation, then the outcome is unknown, with the ID that the site reported', async () => {
    const before = await logged();
    site.faultQueue.push({ kind: 'refuse', function: 'post_action', times: 4 });
    const { body } = await world.request('POST', `${root}/create`, { body: NEW, expect: 502 });
    assert.equal(body.code, 'svc_outcome_unknown');
    assert.equal(site.state.posts.get(body.data.post_id)?.title, NEW.post_title);
    assert.deepEqual(await logged(), before);
  });

  it('when the creation is completed as a draft only, then the log names the status that the site has', async () => {
    site.faultQueue.push({ kind: 'fatal', when: 'before', function: 'post_action' });
    await create({ post_title: 'A & B', post_status: 'publish' });
    const { knex } = world.container.database;
    const entry = await knex('changes').where({ type: 'post.created' }).orderBy('id', 'desc').first('new_values');
    assert.equal(JSON.parse(entry.new_values).status, 'draft');
  });

  it('when the site stores another status than a creation asks for, then the response has a warning', async () => {
    site.faultQueue.push({ kind: 'fatal', when: 'before', function: 'post_action' });
    const body = { ...NEW, post_title: 'A & B', post_status: 'publish' };
    const { warnings } = (await world.request('POST', `${root}/create`, { body })).body;
    assert.match(warnings.join(), /The content has the status draft\./);
  });

  it('when a later step of an edit fails, then the steps that the site shows are logged, and the edit fails', async () => {
    const id = await create();
    const before = await logged();
    // The first `post_action` reads the post, the second one writes the custom field.
    site.faultQueue.push({ kind: 'delay', ms: 1, function: 'post_action' });
    site.faultQueue.push({ kind: 'fatal', when: 'before', function: 'post_action' });
    const { body } = await edit(id, { is_sticky: 1, post_custom: { color: 'blue' } }, 502);
    assert.deepEqual([body.code, body.data.reason], ['svc_site_refused', 'site_fatal']);
    assert.deepEqual(await loggedTypes(before), ['post.updated']);
  });

  it('when the response to an edit is lost, then the values that the site has decide, and the edit is logged', async () => {
    const id = await create();
    const before = await logged();
    // The first `post_action` reads the post, the second one changes it.
    site.faultQueue.push({ kind: 'delay', ms: 1, function: 'post_action' });
    site.faultQueue.push({ kind: 'fatal', when: 'after', function: 'post_action' });
    const { body } = await edit(id, { post_title: 'Another title' });
    assert.equal(body.data.post_title, 'Another title');
    assert.deepEqual(await loggedTypes(before), ['post.updated']);
  });

  it('when an edit changes nothing, then it succeeds and nothing is logged', async () => {
    const id = await create();
    const before = await logged();
    // WordPress gives a draft the time of each save, in seconds.
    await sleep(1100);
    await edit(id, { post_title: NEW.post_title });
    assert.deepEqual(await loggedTypes(before), []);
  });

  it('when WordPress schedules what an edit publishes, then the edit succeeds', async () => {
    const id = await create({ post_status: 'future', ...LATER });
    const { body } = await edit(id, { post_status: 'publish', ...LATER, post_title: 'Later' });
    assert.deepEqual([body.data.post_status, body.data.post_title], ['future', 'Later']);
  });
});
