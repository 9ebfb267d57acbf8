import { ConflictError } from '../../shared/errors.ts';
import { decodeUserProfile, decodeUsers } from '../answers/users.ts';
import { asObject, readField } from '../answers/json-values.ts';
import type { ChildLink, ChildUserPatch, UserCalls } from '../child-site.ts';
import { unexpectedAnswerError, childErrorData, type ChildError } from '../child-errors.ts';
import type { FormFields } from '../form-encoding.ts';
import { createActionSender, type SignedCaller } from '../signed-call.ts';

export function createUserCalls(caller: SignedCaller): UserCalls {
  const send = createActionSender(caller);

  /**
   * Sends `user_action` (protocol 4.6). In its response, errors are in `error` without a `status`. If no user matches,
   * the status is FAIL.
   */
  async function act(link: ChildLink, fields: FormFields, secret?: string): Promise<void> {
    const answer = asObject(
      await send(link, { functionName: 'user_action', fields, reads: false, secret, toRefusal: toUserRefusedError }),
    );
    const status = readField(answer, 'status');
    if (status === 'FAIL')
      throw toUserRefusedError({ message: '', sentence: '', code: null, leaks: false, authentication: false });
    if (status !== 'SUCCESS') throw unexpectedAnswerError(true);
  }

  async function add(link: ChildLink, functionName: string, fields: FormFields, secret: string): Promise<void> {
    const answer = asObject(
      await send(link, { functionName, fields, reads: false, secret, toRefusal: toUserRefusedError }),
    );
    if (readField(answer, 'added') !== true) throw unexpectedAnswerError(true);
  }

  return {
    async searchUsers(link, { search, columns, roles }) {
      const fields = { search, search_columns: columns.join(','), ...(roles?.length && { role: roles.join(',') }) };
      const users = decodeUsers(await send(link, { functionName: 'search_users', fields, reads: true }));
      if (!users) throw unexpectedAnswerError(false);
      return users;
    },

    async userProfile(link, id) {
      const fields = { action: 'edit', id };
      const answer = asObject(await send(link, { functionName: 'user_action', fields, reads: true }));
      if (!answer || (readField(answer, 'status') === undefined && readField(answer, 'user_data') === undefined))
        throw unexpectedAnswerError(false);
      return decodeUserProfile(answer, id);
    },

    createUser: (link, user, mailPassword) =>
      add(
        link,
        'newuser',
        {
          new_user: base64(
            JSON.stringify({
              user_login: user.login,
              user_pass: user.password,
              user_email: user.email,
              role: user.role,
              first_name: escapeBackslashes(user.firstName),
              last_name: escapeBackslashes(user.lastName),
              user_url: user.url,
            }),
          ),
          send_password: mailPassword,
        },
        user.password,
      ),

    updateUser: (link, id, patch) =>
      act(link, { action: 'update_user', id, extra: userFormFields(patch) }, patch.password),

    deleteUser: (link, id) => act(link, { action: 'delete', id }),

    setAdminPassword: (link, password) => add(link, 'newadminpassword', { new_password: base64(password) }, password),
  };
}

const userFormFields = (patch: ChildUserPatch): FormFields => ({
  email: patch.email,
  role: patch.role,
  first_name: escapeBackslashes(patch.firstName),
  last_name: escapeBackslashes(patch.lastName),
  nickname: escapeBackslashes(patch.nickname),
  display_name: escapeBackslashes(patch.displayName),
  url: patch.url,
  description: escapeBackslashes(patch.description),
  pass1: patch.password,
  pass2: patch.password,
});

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** WordPress removes one level of backslashes from texts of users, in a form and in base64 (protocol 1.4). */
const escapeBackslashes = (text: string | undefined): string | undefined => text?.replaceAll('\\', '\\\\');

const toUserRefusedError = (error: ChildError): ConflictError =>
  new ConflictError(
    'svc_site_user_refused',
    'WordPress on the site rejected the operation on the user.',
    childErrorData(error),
  );
