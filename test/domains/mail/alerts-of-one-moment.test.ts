import assert from 'node:assert/strict';
import { listMails, raiseAlerts, downAlert } from '../../support/mail.ts';
import { ManualClock } from '../../support/schedules.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('alerts of one moment', () => {
  let world: World;
  let clock: ManualClock;
  const startAt = async (time: string): Promise<void> => {
    clock = new ManualClock(time);
    world = await startWorld({ overrides: { tickMs: null, clock } });
    await world.container.services.schedules.runner.tick();
  };
  afterEach(() => world.close());

  const raise = (id: number) => raiseAlerts(world, downAlert(`i${id}`, `Site ${id}`, id));
  /** Runs the schedule if it is due at this time. Returns the subjects of all mails. */
  const subjectsAt = async (time: string): Promise<string[]> => {
    clock.set(time);
    await world.container.services.schedules.runner.tick();
    return (await listMails(world)).map(({ subject }) => subject);
  };

  it('when a run comes while sites are going down, then their alerts wait and become one mail', async () => {
    await startAt('2026-11-22T08:00:55Z');
    await raise(1);
    clock.set('2026-11-22T08:00:59Z');
    await raise(2);
    assert.deepEqual(await subjectsAt('2026-11-22T08:01:00Z'), []);
    await raise(3);
    assert.deepEqual(await subjectsAt('2026-11-22T08:02:00Z'), ['Down: 3 sites']);
    assert.deepEqual(await subjectsAt('2026-11-22T08:03:00Z'), ['Down: 3 sites']);
  });

  it('when no further alert is raised for five seconds, then a mail is written', async () => {
    await startAt('2026-11-22T08:00:55Z');
    await raise(1);
    assert.deepEqual(await subjectsAt('2026-11-22T08:01:00Z'), ['Down: Site 1']);
  });

  it('when sites go down one after the other for 20 seconds, then a mail does not wait longer', async () => {
    await startAt('2026-11-22T08:00:40Z');
    for (const [id, second] of [40, 44, 48, 52, 56, 59].entries()) {
      clock.set(`2026-11-22T08:00:${second}Z`);
      await raise(id + 1);
    }
    assert.deepEqual(await subjectsAt('2026-11-22T08:01:00Z'), ['Down: 6 sites']);
  });

  it('when the clock of another process is ahead, then its alert does not wait', async () => {
    await startAt('2026-11-22T09:00:00Z');
    await raise(1);
    assert.deepEqual(await subjectsAt('2026-11-22T08:00:00Z'), []);
    await world.container.database.knex('schedules').where({ name: 'alert-mails' }).update({ next_run_at: clock.time });
    assert.deepEqual(await subjectsAt('2026-11-22T08:00:00Z'), ['Down: Site 1']);
  });

  it('when three sites go down within two seconds, then one mail is written within eight more', async () => {
    world = await startWorld({ overrides: { tickMs: 1_000 } });
    await raise(1);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await raise(2);
    await raise(3);
    const raised = performance.now();
    await until(async () => (await listMails(world)).length > 0, 'the mail to be written', 15_000);
    const waited = performance.now() - raised;
    assert.deepEqual(
      (await listMails(world)).map(({ subject }) => subject),
      ['Down: 3 sites'],
    );
    assert.ok(waited >= 4_900 && waited < 8_000, `it took ${waited} ms`);
  });
});
