import assert from 'node:assert/strict';
import { FuzzWorld, type FuzzReport } from './fuzz-world.ts';

// Runs on SQLite only: the requests test validation and the calls to sites.

/** The same requests in every run. `scripts/check/fuzz.ts` sends any number of others. */
const SEED = 20_261_121;

describe('requests generated from the contract', function () {
  this.timeout(900_000);
  let fuzz: FuzzWorld;
  let report: FuzzReport;
  before(async () => {
    fuzz = await FuzzWorld.start();
  });
  after(() => fuzz.close());

  it('when one request of each kind is sent, then no response is 500 or violates the contract', async () => {
    report = await fuzz.runEachKind(SEED);
    assert.ok(report.requests > 8 * report.operations.length, `only ${report.requests}`);
  });

  it('when all requests have responses, then every operation was called, and most with success', () => {
    const missed = report.operations.filter((id) => !report.statuses.has(id));
    assert.deepEqual(missed, []);
    const succeeded = report.operations.filter((id) => report.statuses.get(id)?.has(200));
    assert.ok(
      succeeded.length > report.operations.length * 0.8,
      `only ${succeeded.length} of ${report.operations.length}`,
    );
  });
});
