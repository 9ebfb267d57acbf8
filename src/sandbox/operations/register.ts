import { syncBlock } from './stats.ts';
import type { Call } from './call.ts';
import { appendChange } from './logs.ts';
import { findUser } from '../state/connection.ts';
import type { User } from '../state/site-state.ts';
import { hasField, textField } from '../protocol/form.ts';
import { phpJson } from '../protocol/frame.ts';
import { frameReply, type Reply } from '../protocol/reply.ts';
import { isValidRegistrationToken, makeRegistrationToken } from '../protocol/registration-tokens.ts';

/**
 * This file simulates `register` (protocol 2.3 to 2.7). The checks run in the order of the child (table 2.4).
 * REG_ERROR5 and REG_ERROR6 concern the PHP of the host and are not simulated.
 */

export interface RegistrationReply {
  reply: Reply;
  /** User that the child logged in during the call. Even a refused user without the required role gets cookies. */
  loggedIn?: User;
}

const refuseRegistration = (error: string, code: string): RegistrationReply => ({
  reply: frameReply({ error, error_code: code }),
});

const PASSWORD_REFUSED =
  'Unable to connect to the site. Please verify that your Admin Username and Password are correct and try again.';

export function register(call: Call): RegistrationReply {
  const { state, fields } = call;
  if (!hasField(fields, 'user') || textField(fields, 'pubkey') === '') {
    return refuseRegistration(
      'Public key could not be set. Please make sure that the OpenSSL library has been configured correctly on your MainWP Dashboard. For additional help, please check this <strong><a href="https://docs.mainwp.com/troubleshooting/potential-issues" target="_blank">help document</a></strong>.',
      'REG_ERROR1',
    );
  }
  const login = textField(fields, 'user');
  const user = findUser(state, login);
  const passwordAuth = user?.passwordAuth ?? true;
  const refusal = refusedByConnection(call, login, passwordAuth) ?? refusedByUniqueId(call);
  if (refusal !== undefined) return refusal;
  if (login !== '' && passwordAuth) {
    const unverified = refusedByProof(call, user);
    if (unverified !== undefined) return unverified;
  }
  if (user === undefined) {
    return refuseRegistration(
      'Administrator user does not exist. Please verify that the user is an existing administrator.',
      'REG_ERROR8',
    );
  }
  if (user.role !== 'administrator') {
    return {
      ...refuseRegistration(
        'User is not an administrator. Please use an administrator user to establish the connection.',
        'REG_ERROR9',
      ),
      loggedIn: user,
    };
  }
  return acceptRegistration(call, user);
}

function refusedByConnection(
  { state, fields }: Call,
  login: string,
  passwordAuth: boolean,
): RegistrationReply | undefined {
  const { publicKey, connectedAdmin, server } = state.connection;
  if (publicKey === null) return undefined;
  if (login === connectedAdmin && textField(fields, 'server') === server) return undefined;
  if (!passwordAuth) {
    return refuseRegistration(
      'Forced Reconnect requires Administrator Password authentication. Please enable Password Authentication in the MainWP Child Settings on the child site, or remove and re-add the site to resolve the issue.',
      'REG_ERROR10',
    );
  }
  return refuseRegistration(
    'Public key already set. Please deactivate &amp; reactivate the MainWP Child plugin on the child site and try again.',
    'REG_ERROR2',
  );
}

function refusedByUniqueId({ state, fields }: Call): RegistrationReply | undefined {
  if (state.uniqueId === '') return undefined;
  const uniqueId = textField(fields, 'uniqueId');
  if (uniqueId === '') {
    return refuseRegistration(
      'This child site is set to require a unique security ID. Please enter it before the connection can be established.',
      'REG_ERROR3',
    );
  }
  if (uniqueId !== state.uniqueId) {
    return refuseRegistration(
      'The unique security ID mismatch! Please correct it before the connection can be established.',
      'REG_ERROR4',
    );
  }
  return undefined;
}

function refusedByProof({ fields }: Call, user: User | undefined): RegistrationReply | undefined {
  const password = textField(fields, 'userpwd');
  const token = textField(fields, 'regverify');
  const tokenValid = user !== undefined && isValidRegistrationToken(user, token);
  if (
    password === '' &&
    !hasField(fields, 'regverify') &&
    !supportsRegistrationTokens(textField(fields, 'mainwpver'))
  ) {
    return refuseRegistration(
      'Your current MainWP Dashboard version is not compatible with the new connection protocol. To add a site using Password Authentication, please update the MainWP Dashboard to the latest version.',
      'REG_ERROR10',
    );
  }
  if (tokenValid) return undefined;
  if (password === '' && hasField(fields, 'regverify')) {
    return refuseRegistration(
      'Failed to reconnect to the site. Please remove the site and add it again.',
      'reconnect_failed',
    );
  }
  return user !== undefined && receivedPassword(password) === user.password
    ? undefined
    : refuseRegistration(PASSWORD_REFUSED, 'REG_ERROR7');
}

/**
 * Returns the password as the child receives it. WordPress adds backslashes before quotes, and then the child
 * percent-decodes the value again. A password with quotes is therefore correct only if the quotes are percent-encoded
 * (protocol 2.3).
 */
function receivedPassword(value: string): string {
  const slashed = value.replace(/['"\\]/g, '\\$&');
  const bytes = slashed.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const decoded = bytes === slashed ? slashed : Buffer.from(latinBytes(bytes)).toString('utf8');
  return decoded.trim();
}

/** Characters below U+0100 are percent-decoded bytes and stay one byte. All others are encoded as UTF-8. */
function latinBytes(mixed: string): Buffer {
  return Buffer.concat([...mixed].map((character) => Buffer.from(character, character < '\u0100' ? 'latin1' : 'utf8')));
}

function supportsRegistrationTokens(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return major > 5 || (major === 5 && minor >= 3);
}

function acceptRegistration(call: Call, user: User): RegistrationReply {
  const { state, fields } = call;
  if (state.connection.connectedAdmin !== '' && state.connection.connectedAdmin !== user.login) state.actions = [];
  state.connection = {
    publicKey: textField(fields, 'pubkey'),
    server: textField(fields, 'server'),
    connectedAdmin: user.login,
    signAlgo: state.connection.signAlgo,
  };
  const wantsToken =
    supportsRegistrationTokens(textField(fields, 'mainwpver')) &&
    !isValidRegistrationToken(user, textField(fields, 'regverify'));
  const token = wantsToken && !call.hadCookie ? makeRegistrationToken(user) : undefined;
  logRegistration(call, user, token !== undefined);
  const block = syncBlock({ ...call, user });
  const opening = {
    ...(token === undefined ? {} : { regverify: token }),
    register: 'OK',
    uniqueId: state.uniqueId,
    user: user.login,
  };
  return { reply: { kind: 'frame', json: phpJson({ ...opening, ...block }) }, loggedIn: user };
}

/** Records a registration in the changes log, as a login and a profile change (protocol 4.9). */
function logRegistration(call: Call, user: User, tokenMade: boolean): void {
  const entry = { context: 'user', login: user.login };
  if (tokenMade) {
    const custom = 'wp_mainwp_child_user_verified_registers';
    const meta = { changeusername: user.login, custom_meta_name: custom, new_value: JSON.stringify(user.tokens) };
    appendChange(call.state, call.now, {
      ...entry,
      typeId: user.tokens.length > 1 ? 1685 : 1690,
      action: 'modified',
      meta,
    });
  }
  appendChange(call.state, call.now, { ...entry, typeId: 1570, action: 'logged-in', meta: {} });
}
