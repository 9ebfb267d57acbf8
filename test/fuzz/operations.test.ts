import assert from 'node:assert/strict';
import { FuzzWorld, type FuzzReport } from './fuzz-world.ts';

/** The same requests in every run. */
const SEED = 20_261_121;
const REQUESTS = 8_000;

describe('requests made from the contract', function () {
  this.timeout(900_000);
  let fuzz: FuzzWorld;
  let report: FuzzReport;
  before(async () => {
    fuzz = await FuzzWorld.start();
  });
  after(() => fuzz.close());

  it(`when ${REQUESTS} of them are sent, then they find no fault of ours and no answer off the contract`, async () => {
    report = await fuzz.run(REQUESTS, SEED);
    assert.ok(report.requests >= REQUESTS);
  });

  it('when all are answered, then every operation was reached, and most of them with success', () => {
    const missed = report.operations.filter((id) => !report.statuses.has(id));
    assert.deepEqual(missed, []);
    const succeeded = report.operations.filter((id) => report.statuses.get(id)?.has(200));
    assert.ok(
      succeeded.length > report.operations.length * 0.8,
      `only ${succeeded.length} of ${report.operations.length}`,
    );
  });
});
