import assert from 'node:assert/strict';
import { parseChildError, childErrorData } from '../../src/connector/child-errors.ts';
import { collectSecrets } from '../../src/connector/secret-detection.ts';
import type { DomainError } from '../../src/shared/errors.ts';
import { STATS_REQUEST, respondByFunction, ConnectorBench } from './connector-bench.ts';
import { thrownBy } from './support.ts';

const HTTP_PASS = `b"a's\\i <c> p+ss`;
const TOKEN = 'aa-bb-token';
const UNIQUE_ID = 'x7Yq';
const PASSWORD = 'hunter2 <b>&';

describe('secrets in responses of a child', () => {
  const rig = new ConnectorBench().install();
  const link = () =>
    rig.link({ httpAuth: { user: 'basic-user', pass: HTTP_PASS }, secrets: [UNIQUE_ID, TOKEN], verifyTls: true });
  const registration = () => rig.registration({ password: PASSWORD, uniqueId: UNIQUE_ID, regverify: TOKEN });
  const ofTheCall: [string, () => string][] = [
    ['the user of HTTP Basic', () => 'basic-user'],
    ['the password of HTTP Basic', () => HTTP_PASS],
    ['the header of HTTP Basic', () => Buffer.from(`basic-user:${HTTP_PASS}`).toString('base64')],
    ['the unique id', () => UNIQUE_ID],
    ['the reconnect token', () => TOKEN],
  ];
  const ofTheKey: [string, () => string] = ['the key', () => rig.pair.privateKeyPem];
  const forms: [string, (secret: string) => string][] = [
    ['unchanged', (secret) => secret],
    ['escaped for HTML', (secret) => secret.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&#034;')],
    ['with slashes', (secret) => secret.replace(/['"\\]/g, '\\$&')],
    ['as a form field', (secret) => new URLSearchParams({ field: secret }).toString().slice('field='.length)],
    ['in upper case', (secret) => secret.toUpperCase()],
    ['after a long text', (secret) => `${'<i></i>'.repeat(500)}${secret}`],
    ['inside tags', (secret) => `<b>${secret}</b>`],
  ];

  for (const [kind, secret] of [...ofTheCall, ofTheKey])
    for (const [form, write] of forms)
      it(`when a signed call returns ${kind} ${form}, then the error omits it`, async () => {
        rig.respond = respondByFunction({ stats: { error: `Refused: ${write(secret())}`, error_code: 'other' } });
        const { data } = (await thrownBy(() => rig.child.stats(link(), STATS_REQUEST))) as DomainError;
        assert.deepEqual([data['child_message'], data['child_code']], [undefined, undefined]);
      });

  for (const [kind, secret] of [...ofTheCall, ['the password of the administrator', () => PASSWORD] as const])
    for (const [form, write] of forms)
      it(`when a registration returns ${kind} ${form}, then the error omits it`, async () => {
        rig.respond = respondByFunction({
          'register?': { error: `Refused: ${write(secret())}`, error_code: 'REG_ERROR3' },
        });
        const { data } = (await thrownBy(() => rig.child.register(link(), registration()))) as DomainError;
        assert.deepEqual([data['child_message'], data['reason']], [undefined, 'unique_id_required']);
        assert.equal(data['child_code'], 'REG_ERROR3', 'a code of the protocol tells nothing');
      });

  it('when an error code contains a secret, then the error omits the code', async () => {
    rig.respond = respondByFunction({ stats: { error: 'Refused.', error_code: `e_${UNIQUE_ID}` } });
    const { data } = (await thrownBy(() => rig.child.stats(link(), STATS_REQUEST))) as DomainError;
    assert.deepEqual([data['child_message'], data['child_code']], [undefined, undefined]);
  });

  it('when a known sentence contains a secret, then its reason is still read', async () => {
    rig.respond = respondByFunction({ stats: { error: `Unexisting administrator ${TOKEN}` } });
    const { data } = (await thrownBy(() => rig.child.stats(link(), STATS_REQUEST))) as DomainError;
    assert.deepEqual([data['child_message'], data['reason']], [undefined, 'unknown_user']);
  });

  it('when an error contains no secret, then its text is kept', () => {
    const error = parseChildError({ error: 'The disk is full.', error_code: 'disk' }, () =>
      collectSecrets(link(), PASSWORD),
    );
    assert.deepEqual(error && childErrorData(error), { child_message: 'The disk is full.', child_code: 'disk' });
  });
});
