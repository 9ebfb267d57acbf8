import type { UnsupportedRow } from './row-types.ts';

export const UNSUPPORTED_ROWS = [
  {
    subject: 'Unknown sites',
    note: 'An unknown site returns 404 in every ability. The established product returns 403 in abilities that resolve the \
site before they run.',
    reason: 'The status names the cause. Clients use the code, which ends in `_not_found` in both products.',
  },
  {
    subject: 'Order of checks',
    note: 'A caller without a credential gets 401 for any name, method or input. The established product returns schemas \
first.',
    reason: 'Unknown callers cannot find out what exists.',
  },
  {
    subject: 'Empty and invalid lists of sites',
    note: 'A text for `site_ids_or_domains` names one site, and an empty list for `disconnect-sites-v1` or \
`suspend-sites-v1` is an error. In the established product, both mean every site.',
    reason: 'A typing error must not disconnect a fleet.',
  },
  {
    subject: 'Form bodies of abilities',
    note: 'Abilities reject a form with 415. The established product ignores it, and an ability without required fields \
then runs on all sites.',
    reason: 'A wrong content type must not change a fleet.',
  },
  {
    subject: '`confirm` and `dry_run`',
    note: 'An ability without these fields rejects them, even if it ignores other unknown fields. `delete-site-plugins-v1` \
and `delete-site-themes-v1` have no preview.',
    reason: 'An ability that ignored `dry_run` would carry out the operation instead of a preview.',
  },
  {
    subject: 'Confirmation together with a preview',
    note: '`dry_run` together with `confirm` returns a preview. The established product rejects it.',
    reason: 'A preview changes nothing, and the address without `/wp-json` does the same.',
  },
  {
    subject: 'Actions on missing plugins and themes',
    note: 'Activating or deleting a plugin or theme that a site does not have is an entry in `errors`. So is deleting the \
active theme, or deactivating the child plugin. An active plugin is deactivated and deleted. The established product \
reports success.',
    reason: 'The service reads the site again before it reports success.',
  },
  {
    subject: 'Reads after a change',
    note: 'Plugins and themes have the new version and state immediately. In the established product, they have it after \
the next sync.',
    reason: 'The service already knows the new state.',
  },
  {
    subject: 'Filters',
    note: '`tag_id` of `list-sites-v1`, `status` of `list-clients-v1` and the filters of `count-clients-v1` have an effect. \
The established product ignores them.',
    reason: 'A filter without effect misleads.',
  },
  {
    subject: 'Costs',
    note: 'Costs have their names and amounts. The established product returns empty entries for a site with costs.',
    reason: 'This is a bug of the established product.',
  },
  {
    subject: 'Clients',
    note: '`suspend-client-v1` also suspends the sites of the client. An e-mail address that another client has returns \
409.',
    reason: 'The admin pages of the established product do the same. A change that was not made must not return 200.',
  },
  {
    subject: 'Social links of clients',
    note: 'The client abilities reject `client_facebook`, `client_twitter`, `client_instagram` and `client_linkedin`; \
`/clients/add` and `/clients/{client}/edit` accept them.',
    reason: 'Ignored values would be lost without an error.',
  },
  {
    subject: '`update-site-v1`',
    note: 'It accepts name, client and tags, and rejects `url`, `admin_username`, `verify_certificate`, `http_user`, \
`http_pass` and `suspended`. Except for `url`, use `POST /sites/{site}/edit` and the abilities for suspending.',
    reason: 'A site is identified by its address; another address is another site.',
  },
  {
    subject: 'Errors of sites',
    note: 'An unreachable site returns 503, a site that rejects the request or sends an invalid response 502, an outdated \
child plugin 409. The established product returns 400, 401 or 500, depending on the text of a message.',
    reason: 'The status says which side failed, so that a client can react.',
  },
  {
    subject: 'Adding a site',
    note: 'Unknown clients and tags and an invalid URL are rejected. The established product stores them unchecked.',
    reason: 'References to missing records are useless.',
  },
  {
    subject: 'Disconnecting',
    note: 'The service does not contact a disconnected site until it is reconnected, and syncs and updates skip a suspended \
one. The established product contacts both.',
    reason: 'The names of the states promise it.',
  },
  {
    subject: 'Errors with status 200 and 500',
    note: 'Errors have a specific status (400, 404, 409, 502, 503). In the established product, the status is often 200 \
with `success: 0`, or 500 without data. `per_page=abc` returns 400.',
    reason: 'Callers, proxies and monitors use the status.',
  },
  {
    subject: 'Missing fields',
    note: 'A missing field returns `rest_invalid_param`, like any other invalid field. The established product returns \
`rest_missing_callback_param`.',
    reason: 'One error lists all invalid and missing fields in `data.errors`.',
  },
  {
    subject: 'Response formats of the REST routes',
    note: 'Lists of records are arrays, numbers are numbers, plugins and updates of a site are lists and not JSON in \
a text, updates are a flat list, every read has `success`, and every page has `total`, `page`, `pages` and headers.',
    reason: 'The known clients accept both formats, and can page only through arrays.',
  },
  {
    subject: 'Dates',
    note: 'Times are ISO 8601 in UTC and do not depend on the date format in the settings.',
    reason: 'Programs read them.',
  },
  {
    subject: 'Edits',
    note: 'Omitted fields keep their values. In the established product, an omitted client removes the site from its \
client, and omitted texts of a post are emptied. In both products, ignoring without a slug ignores all updates \
of a type.',
    reason: 'An edit changes only the fields that it contains.',
  },
  {
    subject: 'Posts, users and ignored updates',
    note: '`GET /posts` without a filter reads all connected sites, `/updates/ignored` returns a list, and responses never \
contain passwords.',
    reason: 'In the established product, these requests fail or reveal a secret.',
  },
  {
    subject: 'Jobs',
    note: '`status_url` is the address of an existing route that accepts the same key. In the established product, the \
route does not exist.',
    reason: 'A client must be able to request an address that it gets.',
  },
  {
    subject: 'Fields that the translation does not have',
    note: '`site` in the response of an action has no name, changed plugins and themes have only their slug, tags of \
`list-tags-v1` have no `sites_ids` (`/tags?full_data=1` has them), and `update-site-translations-v1` does not \
list the installed updates.',
    reason: 'The translation makes no requests itself.',
  },
  {
    subject: 'Unknown fields in batches',
    note: 'If an item of `update` in a batch has an unknown field, it fails and the other items are processed. The \
established product ignores the field.',
    reason: 'The route that edits the record reads such items, and the translation does not change them.',
  },
  {
    subject: 'Keys in other places',
    note: 'A key is accepted only as `Authorization: Bearer`, not as a pair in Basic authentication or the query, and not \
by OAuth 1.0a.',
    reason: 'A secret in a URL is stored in every log.',
  },
] as const satisfies readonly UnsupportedRow[];
