import assert from 'node:assert/strict';
import { addReportSchedule, createClientWithSites, readFile } from '../../support/report-schedules.ts';
import { ManualClock } from '../../support/schedules.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('words for one report', () => {
  let world: World;
  let schedule: number;
  before(async () => {
    const clock = new ManualClock('2026-11-22T09:00:00Z');
    world = await startWorld({ sites: 1, overrides: { tickMs: null, clock } });
    const client = await createClientWithSites(world, 'Corner Bakery', 'ann@example.com', world.siteId(0));
    schedule = (await addReportSchedule(world, { client_id: client })).id;
  });
  after(() => world.close());

  const run = async (body: object, expect = 200) =>
    (await world.request('POST', `/api/v2/report-schedules/${schedule}/run`, { body, expect })).body;
  async function pageOf(body: object): Promise<string> {
    const { data } = await run(body);
    await world.finishedJob(data.job_id);
    return ((await readFile(world, `/reports/${data.id}/file?format=html`)).body as Buffer).toString('utf8');
  }

  it('when a run has words, then this report has them with its tokens, and the next one has not', async () => {
    assert.match(
      await pageOf({ text: 'Your shop opens soon, [client.name].' }),
      /Your shop opens soon, Corner Bakery\./,
    );
    assert.doesNotMatch(await pageOf({}), /Your shop opens soon/);
  });

  it('when a preview has words, then the page has them', async () => {
    const address = `/api/v2/report-schedules/${schedule}/preview?format=html&text=${encodeURIComponent('See you in May.')}`;
    assert.match((await world.agent().get(address).expect(200)).text, /See you in May\./);
  });

  it('when the words have an unknown token, then the run is refused and the field is named', async () => {
    const { data } = await run({ text: 'Hello [nobody]' }, 400);
    assert.deepEqual(
      data.errors.map(({ path }: { path: string }) => path),
      ['body.text'],
    );
  });
});
