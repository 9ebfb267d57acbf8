import type { operations } from '../../../../generated/v2.ts';
import type { EmailSetting } from '../../../domains/mail/index.ts';
import { etagOf, precondition } from '../../../http/etags.ts';
import type { SomeHandlers } from '../../../http/operation.ts';
import type { Needs } from '../../../services.ts';

type EmailOperation = 'settings_emails_get' | 'settings_emails_edit';

const emailView = ({ type, heading, subject, recipients, disable }: EmailSetting) => ({
  type,
  heading,
  subject,
  recipients,
  disable,
});

/** The group `emails`, which is edited type by type. */
export const emailRoutes = ({ mail: { emails } }: Needs<'mail'>): SomeHandlers<operations, EmailOperation> => ({
  settings_emails_get: async () => {
    const settings = (await emails.list()).map(emailView);
    const data = Object.fromEntries(settings.map((each) => [each.type, each]));
    return { status: 200, etag: etagOf(data), body: { success: 1, data } };
  },
  settings_emails_edit: async ({ path, body, caller, ifMatch }) => {
    const data = emailView(await emails.edit(path.mail_type, body, caller.name, precondition(ifMatch, emailView)));
    return { status: 200, etag: etagOf(data), body: { success: 1, message: 'The email settings were saved.', data } };
  },
});
