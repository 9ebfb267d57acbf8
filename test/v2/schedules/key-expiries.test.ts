import assert from 'node:assert/strict';
import { listMails, sendAlertMails } from '../../support/mail.ts';
import { ManualClock, readSchedule, runDueAt } from '../../support/schedules.ts';
import { startWorld, type World } from '../../support/world.ts';

const EXPIRY = '2027-02-10T12:00:00Z';

describe('the schedule key-expiries', () => {
  let world: World;
  let clock: ManualClock;
  beforeEach(async () => {
    clock = new ManualClock('2027-01-20T08:00:00Z');
    world = await startWorld({ overrides: { clock, tickMs: null } });
  });
  afterEach(() => world.close());

  const add = async (body: object) =>
    (
      await world.request('POST', '/api/v2/rest-api/add-key', {
        body: { scope: 'read', description: 'reports', expires_at: EXPIRY, ...body },
      })
    ).body.data;
  const edit = (id: number, body: object) => world.request('PUT', `/api/v2/rest-api/edit-key/${id}`, { body });
  const mailsAt = async (at: string) => {
    clock.set(at);
    await world.request('POST', '/api/v2/schedules/key-expiries/run');
    return sendAlertMails(world);
  };

  it('when a key expires in 7 days and in 1 day, then one mail each names label, hint, user and expiry', async () => {
    const { id, truncated_key: hint } = await add({});
    assert.deepEqual(await mailsAt('2027-02-03T11:59:59Z'), []);
    const [week, ...others] = await mailsAt('2027-02-03T12:00:00Z');
    assert.deepEqual(others, []);
    assert.deepEqual([week.type, week.subject], ['api_key_expiry', 'API key expires: reports']);
    for (const text of [`*${hint} (ID ${id})`, 'User: admin', 'February 10, 2027'])
      assert.ok(week.text.includes(text), `${text} in ${week.text}`);
    for (const at of ['2027-02-03T13:00:00Z', '2027-02-05T00:00:00Z', '2027-02-09T11:59:59Z'])
      assert.equal((await mailsAt(at)).length, 1, at);
    const [, day, ...more] = (await mailsAt('2027-02-09T12:00:00Z')).reverse();
    assert.deepEqual([day.type, more], ['api_key_expiry', []]);
    for (const at of ['2027-02-09T13:00:00Z', '2027-02-10T11:59:59Z', '2027-02-10T12:00:00Z', '2027-03-20T12:00:00Z'])
      assert.equal((await mailsAt(at)).length, 2, at);
    assert.equal((await listMails(world, '&type=api_key_expiry')).length, 2);
  });

  it('when a key is made that expires within a day, then one mail is sent', async () => {
    clock.set('2027-02-10T00:00:00Z');
    await add({});
    assert.equal((await mailsAt('2027-02-10T01:00:00Z')).length, 1);
    assert.equal((await mailsAt('2027-02-10T02:00:00Z')).length, 1);
  });

  it('when the expiry is changed, then the new one is announced', async () => {
    const { id } = await add({});
    assert.equal((await mailsAt('2027-02-04T00:00:00Z')).length, 1);
    await edit(id, { expires_at: '2027-02-20T12:00:00Z' });
    assert.equal((await mailsAt('2027-02-10T12:00:00Z')).length, 1);
    assert.equal((await mailsAt('2027-02-13T12:00:00Z')).length, 2);
    await edit(id, { expires_at: null });
    assert.equal((await mailsAt('2027-02-19T12:00:00Z')).length, 2);
  });

  it('when a key or its user is disabled, or the key has expired, then no mail is sent', async () => {
    const { id } = await add({});
    await add({ user: 'viewer' });
    const { access } = world.container.services.access;
    await access.setEnabled((await access.userNamed('viewer')).id, false, 'test');
    await edit(id, { active: false });
    assert.deepEqual(await mailsAt('2027-02-04T00:00:00Z'), []);
    await edit(id, { active: true });
    assert.deepEqual(await mailsAt('2027-02-10T12:00:00Z'), []);
    clock.set('2027-02-04T00:00:00Z');
    assert.equal((await mailsAt('2027-02-04T01:00:00Z')).length, 1);
  });

  it('when several keys expire, then one mail counts them', async () => {
    for (const description of ['one', 'two', '']) await add({ description });
    const [mail, ...others] = await mailsAt('2027-02-04T00:00:00Z');
    assert.deepEqual([mail.subject, others], ['API key expires: 3 API keys', []]);
  });

  it('when two runs happen at the same time, then each key has one mail', async () => {
    await add({});
    clock.set('2027-02-04T00:00:00Z');
    await Promise.all([1, 2, 3].map(() => world.agent().post('/api/v2/schedules/key-expiries/run')));
    assert.equal((await sendAlertMails(world)).length, 1);
  });

  it('when an hour begins, then the schedule runs by itself', async () => {
    await add({});
    assert.equal((await readSchedule(world, 'key-expiries')).active, true);
    await runDueAt(world, clock, 'key-expiries', '2027-02-04T00:00:00Z');
    await runDueAt(world, clock, 'key-expiries', '2027-02-04T00:07:00Z');
    assert.equal((await sendAlertMails(world)).length, 1);
  });
});
