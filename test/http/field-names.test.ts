import assert from 'node:assert/strict';
import { CodedInvalidError, InvalidError } from '../../src/shared/errors.ts';
import { startSmallApp, type SmallApp } from './small-app.ts';

const message = 'is wrong';
const CHANGE = '/abilities/v1/svc/change-thing-v1/run';

/** The handlers throw errors with field names of the domain. The contracts have other names for some. */
describe('field names in domain errors', () => {
  let app: SmallApp;
  let thrown: Error;
  const fail = async () => {
    throw thrown;
  };
  before(async () => {
    app = await startSmallApp({
      responseChecks: 'off',
      handlers: { 'change-thing-v1': fail, things_list: fail, things_create: fail },
      fieldNames: { 'change-thing-v1': { phone: 'thing_phone' }, things_create: { phone: 'phone_number' } },
    });
  });
  after(() => app.close());

  const ability = () => app.call('POST', CHANGE, { body: { input: { slug: 'a' } } });
  const body = () => app.call('POST', '/api/v2/things', { body: { name: 'a' } });
  const query = () => app.call('GET', '/api/v2/things');
  const fieldsOf = (errors: { path: string }[]) => errors.map(({ path }) => path);

  it('when fields are invalid, then the error uses the names of the contract', async () => {
    thrown = new InvalidError(['phone', 'firstName', 'some.innerName.0'].map((path) => ({ path, message })));
    for (const [call, code, fields] of [
      [ability, 'ability_invalid_input', ['input.thing_phone', 'input.first_name', 'input.some.innerName.0']],
      [body, 'rest_invalid_param', ['body.phone_number', 'body.first_name', 'body.some.innerName.0']],
      [query, 'rest_invalid_param', ['query.phone', 'query.first_name', 'query.some.innerName.0']],
    ] as const) {
      const { status, json } = await call();
      assert.deepEqual([status, json.code, fieldsOf(json.data.errors)], [400, code, fields]);
      assert.equal(json.message, `${fields.map((path) => `${path} ${message}`).join('; ')}.`);
    }
  });

  it('when an error has its own message or code, then they are kept', async () => {
    thrown = new InvalidError([{ path: 'phone', message }], 'The last one must stay.');
    assert.equal((await body()).json.message, 'The last one must stay.');
    thrown = new CodedInvalidError('svc_invalid_url', 'Not so.', { errors: [{ path: 'phone', message }] });
    const { json } = await ability();
    assert.deepEqual([json.code, json.message], ['svc_invalid_url', 'Not so.']);
    assert.deepEqual(json.data, { status: 400, errors: [{ path: 'input.thing_phone', message }] });
    thrown = new CodedInvalidError('svc_address_refused', 'Not there.', { host: 'a.example' });
    assert.deepEqual((await body()).json.data, { status: 400, host: 'a.example' });
  });
});
