import assert from 'node:assert/strict';
import { startSmallApp } from './http/small-app.ts';
import { explainFailure, forgetErrors, loggedErrors, noteLogLine } from './support/service-errors.ts';
import { withWorld, type World } from './support/world.ts';

// Runs on SQLite only: the test is about messages.

const CAUSE = /^The service logged:\nrequest failed \(\w+\)\nTypeError: The shelf is empty\.\n +at .*failure-messages/m;

function breakHandler(): never {
  throw new TypeError('The shelf is empty.');
}

describe('message of a failed test', () => {
  let world: World;
  withWorld({}, (started) => {
    world = started;
    world.container.services.tags.tags.list = breakHandler;
  });
  // These errors are planned and must not appear in another failure.
  afterEach(forgetErrors);

  it('when a request gets a 500, then the failure shows the error and its stack', async () => {
    await assert.rejects(world.request('GET', '/api/v2/tags'), (error: Error) => {
      assert.match(error.message, /^GET \/api\/v2\/tags: .*svc_internal_error/);
      assert.match(error.message, CAUSE);
      return true;
    });
  });

  it('when the test compares the status itself, then the failure shows the error once', async () => {
    const { status } = await world.agent().get('/api/v2/tags');
    const failure = new assert.AssertionError({ actual: status, expected: 200, operator: 'strictEqual' });
    explainFailure(failure);
    explainFailure(failure);
    assert.match(failure.message, CAUSE);
    assert.equal(failure.stack?.split('The shelf is empty.').length, 2);
  });

  it('when a small app responds with 500, then its error is shown too', async () => {
    const app = await startSmallApp({ handlers: { things_list: breakHandler } });
    try {
      assert.equal((await app.call('GET', '/api/v2/things')).status, 500);
      assert.match(loggedErrors(), CAUSE);
    } finally {
      await app.close();
    }
  });

  it('when nothing failed in the service, then the failure keeps its message', () => {
    noteLogLine(JSON.stringify({ level: 'info', msg: 'request', operation: 'tags_list' }));
    const failure = new Error('expected 1, got 2');
    explainFailure(failure);
    assert.equal(failure.message, 'expected 1, got 2');
  });

  it('when a log line is cut, then its text is shown', () => {
    noteLogLine('"operation":"tags_list","level":"error","err":{"type":"Ty');
    assert.match(loggedErrors(), /"tags_list","level":"error"/);
  });
});
