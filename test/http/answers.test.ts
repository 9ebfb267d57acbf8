import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { operationsOf } from '../../src/contract/index.ts';
import { mountSurface } from '../../src/http/mount-surface.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { abilityErrorDialect } from '../../src/surfaces/abilities/errors.ts';
import { startSmallApp } from './small-app.ts';
import { smallAbilities } from './small-contract.ts';
import express from 'express';

const LOOK = '/abilities/v1/svc/look-around-v1/run';
const BAD_ANSWERS: [string, unknown][] = [
  ['lacks a field', {}],
  ['has an extra field', { input: {}, extra: 1 }],
  ['has a field of another type', { input: 'text' }],
];

describe('response validation', () => {
  for (const [what, answer] of BAD_ANSWERS) {
    const handlers = { 'look-around-v1': async () => answer };

    it(`when a response ${what} and the mode is refuse, then the call fails with 500`, async () => {
      const app = await startSmallApp({ handlers, responseChecks: 'refuse' });
      for (const method of ['GET', 'POST']) {
        const { status, json } = await app.call(method, LOOK);
        assert.equal(status, 500);
        assert.deepEqual([json.code, json.message], ['svc_internal_error', 'Something went wrong on our side.']);
      }
      assert.ok(app.logs.some(({ msg }) => msg === 'request failed'));
      await app.close();
    });

    it(`when a response ${what} and the mode is log, then it is sent and logged`, async () => {
      const app = await startSmallApp({ handlers, responseChecks: 'log' });
      const { status, json } = await app.call('GET', LOOK);
      assert.deepEqual([status, json], [200, answer]);
      const line = app.logs.find(({ msg }) => msg === 'a response violates the contract');
      assert.equal(line?.['operation'], 'look-around-v1');
      await app.close();
    });

    it(`when a response ${what} and the mode is off, then it is sent and not logged`, async () => {
      const app = await startSmallApp({ handlers, responseChecks: 'off' });
      const { status, json } = await app.call('GET', LOOK);
      assert.deepEqual([status, json], [200, answer]);
      assert.ok(!app.logs.some(({ level }) => level === 'error'));
      assert.equal((await app.call('GET', `${LOOK}?input[page]=0`)).status, 400, 'requests are still checked');
      await app.close();
    });
  }

  it('when responses match the contract, then no error is logged', async () => {
    const app = await startSmallApp({ responseChecks: 'log' });
    for (const path of [LOOK, `${LOOK}?input[page]=0`, '/api/v2/things', '/api/v2/nothing'])
      await app.call('GET', path);
    assert.ok(!app.logs.some(({ level }) => level === 'error'));
    await app.close();
  });

  it('when a route returns a status, headers or a stream, then the caller receives them', async () => {
    const app = await startSmallApp({
      responseChecks: 'off',
      handlers: {
        things_create: async () => ({ status: 201, body: { made: true }, headers: { Location: '/api/v2/things/1' } }),
        things_delete: async () => ({ status: 204 }),
        things_get: async () => ({ status: 200, body: Readable.from(['a,b\n', '1,2\n']), contentType: 'text/csv' }),
      },
    });
    const made = await app.call('POST', '/api/v2/things', { body: { name: 'a' } });
    assert.deepEqual([made.status, made.headers.location, made.json], [201, '/api/v2/things/1', { made: true }]);
    const gone = await app.call('DELETE', '/api/v2/things/1');
    assert.deepEqual([gone.status, gone.text], [204, '']);
    const file = await app.call('GET', '/api/v2/things/1');
    assert.deepEqual([file.status, file.text], [200, 'a,b\n1,2\n']);
    assert.match(file.headers['content-type'] ?? '', /^text\/csv/);
    await app.close();
  });

  it('when an operation has no handler, then the surface is not mounted', () => {
    const contract = smallAbilities();
    const handler = async (): Promise<unknown> => ({});
    const all = Object.fromEntries(operationsOf(contract).map(({ id }) => [id, handler]));
    const options = {
      modules: { isActive: async () => true },
      usage: { record: () => undefined },
      logger: createLogger('silent'),
      responses: 'refuse' as const,
      answers: {
        claim: async () => ({ kind: 'mine' as const, id: '' }),
        settle: async () => undefined,
        abandon: async () => undefined,
      },
    };
    mountSurface(express(), { contract, dialect: abilityErrorDialect, handlers: all }, options);
    for (const id of Object.keys(all)) {
      const { [id]: _missing, ...handlers } = all;
      assert.throws(
        () => mountSurface(express(), { contract, dialect: abilityErrorDialect, handlers }, options),
        new RegExp(id),
      );
    }
  });
});
