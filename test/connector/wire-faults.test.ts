import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import {
  ChildBadAnswerError,
  ChildUnreachableError,
  type ChildRefusedError,
} from '../../src/shared/child-call-errors.ts';
import { DomainError } from '../../src/shared/errors.ts';
import { toFrame } from '../support/frames.ts';
import { makeConnector, readRecording, startFakeServer, thrownBy, type ReceivedRequest } from './support.ts';
import {
  STATS_REQUEST,
  respondByFunction,
  UNSIGNED_CONNECTED_STATS,
  STATS,
  ConnectorBench,
  type Respond,
} from './connector-bench.ts';

describe('connection faults', () => {
  const rig = new ConnectorBench().install();

  it('when a redirect is returned, then the signed body is not sent to its target', async () => {
    const elsewhere = await startFakeServer((_seen, response) => response.end(toFrame(STATS)), '127.0.0.9');
    rig.respond = (_seen, response) => response.writeHead(307, { location: elsewhere.url }).end();
    const error = (await thrownBy(() => rig.child.stats(rig.link(), STATS_REQUEST))) as ChildRefusedError;
    assert.equal(error.reason, 'redirected');
    assert.equal(error.data['location_host'], `127.0.0.9:${elsewhere.port}`);
    assert.equal(elsewhere.connections, 0);
    await elsewhere.close();
  });

  it('when a site hangs or sends slowly, then the deadline ends the call and the outcome of a write is open', async () => {
    const quick = makeConnector({ deadlines: { readMs: 200 } });
    for (const misbehave of [
      () => {},
      (_seen: ReceivedRequest, response: ServerResponse) => {
        const timer = setInterval(() => response.write('x'), 20);
        response.on('close', () => clearInterval(timer));
      },
    ]) {
      rig.respond = misbehave;
      const error = await thrownBy(() => quick.child.pluginAction(rig.link(), 'activate', ['a/a.php']));
      assert.ok(error instanceof ChildUnreachableError);
      assert.deepEqual([error.layer, error.data['outcome']], ['http', 'open']);
      assert.match(error.message, /^The site did not answer in time/);
    }
    assert.equal(rig.server.requests.length, 2);
    await quick.close();
  });

  it('when a site is dead, then calls to many sites skip it, and a call to it alone is sent', async () => {
    const gone = await startFakeServer(() => {});
    await gone.close();
    const stats = () => rig.child.stats(rig.link({ url: gone.url, oneOfMany: true }), STATS_REQUEST);
    for (let round = 0; round < 3; round += 1) {
      const error = (await thrownBy(stats)) as ChildUnreachableError;
      assert.equal(error.layer, 'connect');
      assert.equal(error.data['retry_after_seconds'], undefined);
    }
    const paused = (await thrownBy(stats)) as ChildUnreachableError;
    assert.equal(paused.data['retry_after_seconds'], 30);
    assert.match(paused.message, /^The site refused the connection\. .* not called again before 20\d\d-/);
    const alone = () => rig.child.stats(rig.link({ url: gone.url }), STATS_REQUEST);
    assert.equal(((await thrownBy(alone)) as ChildUnreachableError).data['retry_after_seconds'], undefined);
    assert.equal(rig.child.schedulerStats().broken, 1);
    assert.equal(rig.child.schedulerStats().broken, 1);
    rig.respond = respondByFunction({ 'stats?': UNSIGNED_CONNECTED_STATS, stats: STATS });
    assert.deepEqual(await rig.child.probe(rig.link(), 'admin'), { state: 'connected' });
    assert.equal(rig.child.schedulerStats().broken, 0);
  });

  it('when an address is forbidden, then the call is rejected without a connection', async () => {
    const error = await thrownBy(() => rig.child.stats(rig.link({ url: 'http://10.0.0.1/' }), STATS_REQUEST));
    assert.equal((error as DomainError).code, 'svc_address_refused');
    const unknown = (await thrownBy(() =>
      rig.child.stats(rig.link({ url: 'http://no-such-host.invalid/' }), STATS_REQUEST),
    )) as ChildUnreachableError;
    assert.equal(unknown.layer, 'dns');
  });

  it('when a call fails, then its error contains no secret', async () => {
    const secrets = ['hunter2-secret', 'basic-secret', 'token-secret', 'wordpress_x=cookie-secret', 'PRIVATE KEY'];
    const answers: Respond[] = [
      () => {},
      (_seen, response) => response.destroy(),
      (_seen, response) => response.writeHead(500, { 'set-cookie': secrets[3] }).end(),
      (_seen, response) => response.end('<mainwp>!!</mainwp>'),
      (seen, response) => response.end(toFrame({ error: 'Authentication failed', echo: seen.body })),
      (seen, response) => response.writeHead(302, { location: `http://x.test/?${seen.body}` }).end(),
      respondByFunction({ 'register?': readRecording('04-register-wrongpw') }),
      respondByFunction({ 'register?': { error: 'no: hunter2-secret', error_code: 'REG_ERROR7' }, plugin_action: 1 }),
      (seen, response) => response.end(toFrame({ error: `You sent ${seen.body}`, error_code: 'x' })),
    ];
    const quick = makeConnector({ deadlines: { readMs: 150 } });
    const auth = { user: 'u', pass: 'basic-secret' };
    for (const misbehave of answers) {
      rig.respond = misbehave;
      rig.server.requests.length = 0;
      rig.nextSite();
      const target = rig.link({ httpAuth: auth });
      const secret = rig.registration({ password: 'hunter2-secret', regverify: 'token-secret' });
      for (const work of [
        () => quick.child.stats(target, STATS_REQUEST),
        () => quick.child.register(target, secret),
        () => quick.child.pluginAction(target, 'delete', ['a/a.php']),
      ]) {
        const error = await thrownBy(work);
        const signatures = rig.server.requests
          .map(({ form }) => form.get('mainwpsignature'))
          .filter((text) => text !== null);
        const shown = allTextsOf(error);
        for (const text of [...secrets, ...signatures, Buffer.from('u:basic-secret').toString('base64')]) {
          assert.equal(shown.includes(text), false, `${error.message} shows ${text.slice(0, 20)}`);
        }
      }
    }
    await quick.close();
  });

  it('when a response cannot be read, then the error is ChildBadAnswerError', async () => {
    for (const body of ['<mainwp>e30</mainwp>', toFrame(null), toFrame('text'), toFrame([]), toFrame({})]) {
      rig.respond = (_seen, response) => response.end(body);
      const error = await thrownBy(() => rig.child.stats(rig.link(), STATS_REQUEST));
      assert.ok(error instanceof ChildBadAnswerError, body);
    }
  });
});

/** Returns all texts of an error that a log or a response could show. */
function allTextsOf(error: Error): string {
  const data = error instanceof DomainError ? JSON.stringify(error.data) : '';
  return [error.message, error.stack ?? '', data, inspect(error, { depth: 12, showHidden: true })].join('\n');
}
