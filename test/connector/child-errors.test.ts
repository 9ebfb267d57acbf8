import assert from 'node:assert/strict';
import { outboundErrorToChildError, parseChildError, toRegistrationError } from '../../src/connector/child-errors.ts';
import { OutboundError, type OutboundFault } from '../../src/outbound/index.ts';
import { ChildRefusedError, callOutcomeOf } from '../../src/shared/child-call-errors.ts';
import { readRecording } from './support.ts';

describe('classification of failed calls', () => {
  const table: [OutboundFault, boolean, string, string][] = [
    ['dns', false, 'dns', 'svc_site_unreachable'],
    ['connect', false, 'connect', 'svc_site_unreachable'],
    ['tls', false, 'tls', 'svc_site_unreachable'],
    ['timeout', false, 'connect', 'svc_site_unreachable'],
    ['timeout', true, 'http', 'svc_site_unreachable'],
    ['reset', true, 'http', 'svc_site_unreachable'],
    ['aborted', true, 'http', 'svc_site_unreachable'],
    ['body_too_large', true, 'protocol', 'svc_site_bad_answer'],
    ['bad_encoding', true, 'protocol', 'svc_site_bad_answer'],
  ];
  for (const [fault, sent, layer, code] of table) {
    it(`when ${fault} ends the call ${sent ? 'after' : 'before'} sending, then the layer is ${layer}`, () => {
      const error = outboundErrorToChildError(new OutboundError(fault, 'x', sent, 1));
      assert.deepEqual([error.layer, error.code, callOutcomeOf(error)], [layer, code, sent ? 'open' : 'not_run']);
    });
  }
});

describe('classification of rejected registrations', () => {
  const table: [string, boolean, string][] = [
    ['04-register-wrongpw', true, 'bad_password'],
    ['05-register-nopw', false, 'password_required'],
    ['05b-register-nopw-oldver', true, 'password_required'],
    ['a1-rereg-otherserver', true, 'already_connected'],
    ['e2-pwauth-off-rereg-otherserver', true, 'already_connected'],
    ['a4-rereg-bad-regverify', false, 'reconnect_refused'],
    ['c1-uniqueid-missing', true, 'unique_id_required'],
    ['c2-uniqueid-wrong', true, 'unique_id_mismatch'],
    ['d1-editor', true, 'not_admin'],
    ['13-wrong-user', true, 'unknown_user'],
  ];
  for (const [name, withPassword, reason] of table) {
    it(`when the child answers with ${name}, then the reason is ${reason}`, () => {
      const said = parseChildError(readRecording(name));
      assert.ok(said);
      const error = toRegistrationError(said, withPassword);
      assert.ok(error instanceof ChildRefusedError);
      assert.deepEqual([error.layer, error.reason], ['auth', reason]);
    });
  }

  it('when an error code is known, then it has its reason, otherwise the response is invalid', () => {
    const reasonOf = (code: string) => {
      const error = toRegistrationError({ message: '', sentence: '', leaks: false, code, authentication: false }, true);
      return error instanceof ChildRefusedError ? error.reason : error.code;
    };
    assert.deepEqual(
      ['REG_ERROR1', 'REG_ERROR5', 'REG_ERROR6', 'REG_ERROR8', 'REG_ERROR11', 'constructor', '__proto__'].map(reasonOf),
      [
        'svc_site_bad_answer',
        'site_fatal',
        'site_fatal',
        'unknown_user',
        ...Array<string>(3).fill('svc_site_bad_answer'),
      ],
    );
  });

  it('when the error text of the child is long or has markup, then the message is short plain text', () => {
    const markup = 'Bad &amp; <b onclick="x()">bold</b>&lt;script&gt;alert(1)&lt;/script&gt;\u0000\u001b';
    const said = parseChildError({
      error: `${markup}<br/>${'c2lnbmF0dXJl'.repeat(20)} end ${'many words '.repeat(50)}`,
      error_code: 'x"; drop',
    });
    assert.match(said?.message ?? '', /^Bad & bold alert\(1\) \[\.\.\.\] end many words [a-z ]+$/);
    assert.ok((said?.message.length ?? 0) <= 300);
    assert.equal(said?.code, null);
    for (const value of [null, [], '', { error: { is_activated_theme: 'a' } }, { error: 7 }, {}]) {
      assert.equal(parseChildError(value), null);
    }
  });
});
