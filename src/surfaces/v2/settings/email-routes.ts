import type { MailTypeSettings, EmailsPreconditionInput } from '../../../domains/mail/index.ts';
import { etagOf, precondition } from '../../../http/etags.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';

const emailSettingView = ({ type, heading, subject, recipients, disable }: MailTypeSettings) => ({
  type,
  heading,
  subject,
  recipients,
  disable,
});

const emailViewsByType = (settings: readonly MailTypeSettings[]) =>
  Object.fromEntries(settings.map((each) => [each.type, emailSettingView(each)]));

/**
 * Returns the precondition of an edit. `If-Match` may contain the ETag of one mail type, from an earlier edit, or that
 * of the whole list.
 */
const emailsPrecondition = (ifMatch: string | undefined) =>
  precondition<EmailsPreconditionInput>(
    ifMatch,
    ({ edited }) => emailSettingView(edited),
    ({ all }) => emailViewsByType(all),
  );

export const emailRoutes = ({ mail: { emails } }: RequiredServices<'mail'>) =>
  ({
    settings_emails_get: async () => {
      const data = emailViewsByType(await emails.list());
      return { status: 200, etag: etagOf(data), body: { success: 1, data } };
    },
    settings_emails_edit: async ({ path, body, caller, ifMatch }) => {
      const data = emailSettingView(await emails.edit(path.mail_type, body, caller.name, emailsPrecondition(ifMatch)));
      return { status: 200, etag: etagOf(data), body: { success: 1, message: 'The email settings were saved.', data } };
    },
  }) satisfies Partial<HandlersOf<'settings'>>;
