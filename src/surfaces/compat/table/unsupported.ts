import type { UnsupportedRow } from './rows.ts';

/** Behavior of the established product that the mount does not reproduce, with the reason. */
export const UNSUPPORTED_ROWS: readonly UnsupportedRow[] = [
  {
    subject: 'Unknown sites',
    note: 'An unknown site is 404 in every ability; there it is 403 in those that resolve the site before they run.',
    reason: 'The status says what is wrong; clients go by the code, which ends in `_not_found` in both.',
  },
  {
    subject: 'Order of refusals',
    note: 'A caller without a credential gets 401, whatever the name, method or input; there schemas are shown first.',
    reason: 'Nobody learns what exists before being known.',
  },
  {
    subject: 'Empty and odd lists of sites',
    note: 'A text for `site_ids_or_domains` names one site, and an empty list for `disconnect-sites-v1` or \
`suspend-sites-v1` is refused; there both mean every site.',
    reason: 'A typing error must not stop a fleet.',
  },
  {
    subject: 'Form bodies of abilities',
    note: 'Abilities refuse a form with 415; there it is ignored, and an ability without required fields runs on \
everything.',
    reason: 'The same.',
  },
  {
    subject: '`confirm` and `dry_run`',
    note: 'They are refused where an ability does not have them, also where other unknown fields are ignored; \
`delete-site-plugins-v1` and `delete-site-themes-v1` have no preview.',
    reason: 'An ignored `dry_run` would do what was only to be previewed.',
  },
  {
    subject: 'Confirmation beside a preview',
    note: '`dry_run` together with `confirm` is a preview; there it is refused.',
    reason: 'The harmless reading is safe, and the plain address has it.',
  },
  {
    subject: 'Actions on what is not there',
    note: 'Activating or deleting a plugin or theme that a site does not have is an entry of `errors`, and so is \
deleting an active one or deactivating the child plugin; there it is reported as done.',
    reason: 'A success is read back from the site before it is told.',
  },
  {
    subject: 'Reads after a change',
    note: 'Plugins and themes show the new version and state at once; there not before the next sync.',
    reason: 'What is known is told.',
  },
  {
    subject: 'Filters',
    note: '`tag_id` of `list-sites-v1`, `status` of `list-clients-v1` and the filters of `count-clients-v1` rule; \
there they are ignored.',
    reason: 'A filter that does not filter misleads.',
  },
  {
    subject: 'Costs',
    note: 'Costs have their names and amounts; there a site with costs answers blank entries.',
    reason: 'It is a fault there.',
  },
  {
    subject: 'Clients',
    note: '`suspend-client-v1` suspends the sites of the client too; an e-mail address that is taken is refused with \
409.',
    reason: 'The admin pages there do so as well; a change that was not made is not answered with 200.',
  },
  {
    subject: 'Social links of clients',
    note: '`client_facebook` and its kin are refused by the client abilities; `/clients/add` and \
`/clients/{client}/edit` take them.',
    reason: 'They would be lost without a word.',
  },
  {
    subject: '`update-site-v1`',
    note: 'It takes name, client and tags; `url`, `admin_username`, `verify_certificate`, `http_user`, `http_pass` \
and `suspended` are refused, and stand in `POST /sites/{site}/edit` and the abilities for suspending, except `url`.',
    reason: 'A site goes by its address; another address is another site.',
  },
  {
    subject: 'Faults of sites',
    note: 'An unreachable site is 503, one that refuses or answers nonsense 502, an outdated child plugin 409; there \
they are 400, 401 or 500 by words in a message.',
    reason: 'A status that names the side that failed can be acted on.',
  },
  {
    subject: 'Adding a site',
    note: 'Unknown clients and tags are refused, and so is a URL that is none; there they are stored unchecked.',
    reason: 'Records that point nowhere help nobody.',
  },
  {
    subject: 'Disconnecting',
    note: 'A disconnected site is not called until it is reconnected, and a suspended one is left out of sync and \
updates; there both are called on.',
    reason: 'The words promise it.',
  },
  {
    subject: 'Refusals with status 200 and 500',
    note: 'What is refused has a status of its own (400, 404, 409, 502, 503); there it is often 200 with `success: \
0`, or 500 without data. `per_page=abc` is 400.',
    reason: 'Callers, proxies and monitors go by the status.',
  },
  {
    subject: 'Missing fields',
    note: 'A field that is missing is refused as any other that is wrong, with `rest_invalid_param`; there it is \
`rest_missing_callback_param`.',
    reason: 'One refusal tells all fields that are wrong, missing or not, in `data.errors`.',
  },
  {
    subject: 'Shapes of the REST routes',
    note: 'Lists of records are arrays, numbers are numbers, plugins and updates of a site are lists and not JSON in \
a text, updates are a flat list, every read has `success`, and every page has `total`, `page`, `pages` and headers.',
    reason: 'The clients that are known take both, and page through arrays alone.',
  },
  {
    subject: 'Dates',
    note: 'Times are ISO 8601 in UTC, whatever date format is set.',
    reason: 'They are read by programs.',
  },
  {
    subject: 'Edits',
    note: 'What an edit leaves out stays as it is; there a missing client takes the site from its client, and missing \
texts of a post are emptied. Ignoring without a slug ignores all of a kind in both.',
    reason: 'An edit changes what it names.',
  },
  {
    subject: 'Posts, users and ignored updates',
    note: '`GET /posts` without a filter asks all connected sites, `/updates/ignored` answers, and passwords are \
never repeated.',
    reason: 'There they fail, or tell a secret.',
  },
  {
    subject: 'Jobs',
    note: '`status_url` leads to a route that answers, under the same key; there it leads nowhere.',
    reason: 'Who is given an address must be able to ask it.',
  },
  {
    subject: 'Fields that a translation cannot know',
    note: '`site` in the answer of an action has no name, plugins and themes that were acted on have their slug \
alone, tags of `list-tags-v1` have no `sites_ids` (`/tags?full_data=1` has them), and `update-site-translations-v1` \
does not list what it updated.',
    reason: 'The mount is a translation and asks nothing itself.',
  },
  {
    subject: 'Unknown fields in batches',
    note: 'An item of `update` in a batch with an unknown field is refused, the others are done; there it is ignored.',
    reason: 'Such items are read by the route that edits the record, where the mount has no part.',
  },
  {
    subject: 'Keys in other places',
    note: 'A key is taken as `Authorization: Bearer` alone, not as a pair in Basic or the query, nor by OAuth 1.0a.',
    reason: 'A secret in an address is in every log.',
  },
];
