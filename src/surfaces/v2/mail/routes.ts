import { etagOf } from '../../../http/etags.ts';
import type { RequiredServices } from '../../../service/services.ts';
import { ALL_SITES } from '../../../shared/site-scope.ts';
import { normalizeMailAddress } from '../../../shared/mail-address.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { dropEmptyFilters } from '../query-helpers.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';
import { mailView } from './view.ts';

export const routes = (
  { mail: { outbox, mails } }: RequiredServices<'mail'>,
  { base }: BaseAddress,
): HandlersOf<'mail'> => ({
  outbox_list: async ({ caller, query }) => {
    const { state, type, recipient, since, full_data: withBodies } = query;
    // Stored addresses are normalized. A recipient that is no address is searched unchanged and matches nothing.
    const address = recipient && (normalizeMailAddress(recipient) ?? recipient);
    const from = since === undefined ? undefined : Date.parse(since);
    const filter = dropEmptyFilters({ state, type, recipient: address, since: from });
    const page = await mails.list(caller.sites, filter, pageRequestOf(query), { withBodies });
    return pageResponse(page, mailView, `${base}/outbox`, query);
  },
  outbox_get: async ({ caller, path }) => {
    const data = mailView(await mails.get(caller.sites, path.mail_id));
    return { status: 200, etag: etagOf(data), body: { success: 1, data } };
  },
  outbox_resend: async ({ path, caller }) => {
    await outbox.resend(caller, path.mail_id);
    const data = mailView(await mails.get(ALL_SITES, path.mail_id));
    return { status: 200, body: { success: 1, message: 'The mail is queued.', data } };
  },
});
