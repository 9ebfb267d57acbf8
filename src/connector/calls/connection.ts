import { ChildBadAnswerError, ChildRefusedError } from '../../shared/child-call-errors.ts';
import { decodeRegistration } from '../answers/registration.ts';
import { decodeReconnectToken } from '../answers/stats.ts';
import { asObject, readField, readText } from '../answers/json-values.ts';
import type { ChildTarget, ConnectionCalls, RegistrationResult, Registration } from '../child-site.ts';
import { parseChildError, unexpectedAnswerError, toRegistrationError } from '../child-errors.ts';
import type { SiteCookies } from '../cookies.ts';
import { escapePasswordQuotes } from '../form-encoding.ts';
import { collectSecrets } from '../secret-detection.ts';
import { KEY_CHECK_CALL } from '../signed-call.ts';
import type { SiteCaller } from '../site-caller.ts';
import { registerFields } from './request-fields.ts';

export function createConnectionCalls(
  caller: SiteCaller,
  cookies: SiteCookies,
): Omit<ConnectionCalls, 'resetBreaker' | 'forget'> {
  async function register(
    target: ChildTarget,
    registration: Registration,
    signal?: AbortSignal,
  ): Promise<RegistrationResult> {
    const { password } = registration;
    const secrets = [password, registration.uniqueId, registration.regverify];
    const send = (as: string | null) =>
      caller.unsigned(target, registerFields(registration, as), { isChange: true, signal, secrets });
    let answer = await send(password);
    const slashed = password === null ? null : escapePasswordQuotes(password);
    if (slashed !== null && parseChildError(answer)?.code === 'REG_ERROR7') answer = await send(slashed);
    const error = parseChildError(answer, () => collectSecrets(target, ...secrets));
    if (error) throw toRegistrationError(error, password !== null);
    const registered = decodeRegistration(answer);
    if (!registered) throw unexpectedAnswerError(true);
    return registered;
  }

  /** Drops the session cookies, which are invalid after a connection has ended or begun again. */
  const dropSessions = ({ siteId }: ChildTarget): void => {
    if (siteId !== null) cookies.forget(siteId);
  };

  return {
    probe(target, admin) {
      return caller.scheduled(target, 'register', async (_target, signal) => {
        let hello;
        try {
          hello = asObject(await caller.unsigned(target, { user: admin, function: 'stats' }, { signal }));
        } catch (error) {
          if (error instanceof ChildRefusedError && error.reason === 'plugin_missing')
            return { state: 'plugin_missing' };
          throw error;
        }
        const childVersion = readText(readField(hello, 'version'), 64);
        if (childVersion !== '') {
          return { state: 'unconnected', childVersion, wpVersion: readText(readField(hello, 'wpversion'), 64) };
        }
        if (parseChildError(hello)) return { state: 'connected' };
        throw unexpectedAnswerError(false);
      });
    },

    async register(target, registration) {
      const registered = await caller.scheduled(target, 'register', (current, signal) =>
        register(current, registration, signal),
      );
      dropSessions(target);
      return registered;
    },

    async verifyKey(link) {
      try {
        const answer = asObject(await caller.signed(link, { ...KEY_CHECK_CALL, kind: 'register' }));
        // A proxy may have responded. Only the requested list proves that the child accepted the key.
        if (!Array.isArray(readField(answer, 'data'))) throw unexpectedAnswerError(false);
        return true;
      } catch (error) {
        const reason = error instanceof ChildRefusedError ? error.reason : null;
        if (reason === 'key_mismatch' || reason === 'not_connected') return false;
        if (reason === 'algorithm_refused') return true;
        // The child checks the signature before it looks up the function (protocol 3.2), so this error shows that it
        // accepted the key.
        if (error instanceof ChildBadAnswerError && error.data['child_code'] === 'child_plugin_incompatible')
          return true;
        throw error;
      }
    },

    async renewToken(link) {
      const fields = { sync_regverify: 1 };
      const call = { kind: 'register', functionName: 'stats', fields, reads: true, withCookies: false } as const;
      const answer = asObject(await caller.signed(link, call));
      if (answer === null) throw unexpectedAnswerError(false);
      return decodeReconnectToken(readField(answer, 'regverify_info'));
    },

    async disconnect(link) {
      const answer = await caller.signed(link, { kind: 'register', functionName: 'disconnect', reads: false });
      if (readField(asObject(answer), 'result') !== 'success') throw unexpectedAnswerError(true);
      dropSessions(link);
    },

    async deactivate(link) {
      const answer = await caller.signed(link, { kind: 'action', functionName: 'deactivate', reads: false });
      if (readField(asObject(answer), 'deactivated') !== true) throw unexpectedAnswerError(true);
      dropSessions(link);
    },
  };
}
