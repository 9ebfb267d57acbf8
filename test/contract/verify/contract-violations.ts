import type { Rule } from '../../../src/contract-checks/index.ts';
import type { ChangeResponse } from '../../support/changing-proxy.ts';

/** A fault of a service and the expected finding. */
export interface ContractViolation {
  when: string;
  change: ChangeResponse;
  law: Rule;
  subject: string;
  message: RegExp;
}

const at =
  (call: string, change: ChangeResponse): ChangeResponse =>
  (each, answer) => {
    if (each === call && answer.status === 200) change(each, answer);
  };

/** Each violation has its own operation, so that one run finds all. */
export const CONTRACT_VIOLATIONS: readonly ContractViolation[] = [
  {
    when: 'a field is renamed',
    change: at('GET /api/v2/clients', (_call, { body }) => {
      for (const client of body.data)
        if ('client_email' in client) [client.mail, client.client_email] = [client.client_email, undefined];
    }),
    law: 'answers',
    subject: 'clients_list',
    message: /clients_list \(200\) breaks the contract: [^\n]*\("mail"\)/,
  },
  {
    when: 'a header is missing',
    change: at('GET /api/v2/jobs', (_call, { headers }) => delete headers['x-wp-total']),
    law: 'headers',
    subject: 'jobs_list X-WP-Total',
    message: /jobs_list \(200\) answers without X-WP-Total, which the contract lists/,
  },
  {
    when: 'an operation fails',
    change: (call, answer) => {
      if (call !== 'GET /api/v2/sites/count' || answer.status !== 200) return;
      answer.status = 500;
      answer.body = { code: 'svc_internal_error', message: 'Oh.', data: { status: 500 } };
    },
    law: 'answers',
    subject: 'sites_count',
    message: /sites_count answered 500/,
  },
  {
    when: 'a response has an unlisted status',
    change: at('GET /api/v2/clients/count', (_call, answer) => (answer.status = 202)),
    law: 'answers',
    subject: 'clients_count',
    message: /clients_count answered 202, which the contract does not list/,
  },
  {
    when: 'a response has another media type',
    change: at('GET /api/v2/modules', (_call, { headers }) => (headers['content-type'] = 'text/html')),
    law: 'answers',
    subject: 'modules_list',
    message: /modules_list \(200\) is text\/html, where the contract says application\/json/,
  },
  {
    when: 'an ability returns an unlisted error code',
    change: (call, answer) => {
      if (call !== 'GET /abilities/v1/svc/count-sites-v1/run' || answer.status !== 200) return;
      answer.status = 400;
      answer.body = { code: 'svc_site_not_found', message: 'No.', data: { status: 400 } };
    },
    law: 'answers',
    subject: 'count-sites-v1',
    message: /count-sites-v1 \(400\) breaks the contract: \/code must be equal to one of the allowed values/,
  },
  {
    when: 'a call without a credential succeeds',
    change: (call, answer) => {
      if (call === 'GET /api/v2/sites/basic' && answer.status === 401) answer.status = 200;
    },
    law: 'credentials',
    subject: 'sites_list_basic',
    message: /sites_list_basic answers 200 svc_unauthenticated without a credential/,
  },
  {
    when: 'each page is the first one',
    change: at('GET /api/v2/updates', (_call, { body, query }) => {
      if (query.get('page') !== null) body.total = Number(query.get('page'));
    }),
    law: 'paging',
    subject: 'updates_list',
    message: /updates_list: pages disagree on the total: 1, 2, 100000/,
  },
  {
    when: 'pages ignore the requested number of records',
    change: at('GET /abilities/v1/svc/list-tags-v1/run', (_call, { body }) => body.items.push(...body.items)),
    law: 'paging',
    subject: 'list-tags-v1',
    message: /list-tags-v1: page 1 has 2 records, where per_page is 1/,
  },
  {
    when: 'the total is off by one',
    change: at('GET /api/v2/costs', (_call, { body }) => (body.total += 1)),
    law: 'paging',
    subject: 'costs_list',
    message: /costs_list: the total is 3, but the only page has 2 records/,
  },
  {
    when: 'the total of a list without pages is off by one',
    change: at('GET /api/v2/sites/1/costs', (_call, { body }) => (body.total += 1)),
    law: 'paging',
    subject: 'sites_costs',
    message: /sites_costs: the total is 3, but there are 2 records/,
  },
  {
    when: 'a count and its total differ',
    change: at('GET /api/v2/monitors/count', (_call, { body }) => (body.total -= 1)),
    law: 'paging',
    subject: 'monitors_count',
    message: /monitors_count: the total is 1, but there are 2 records/,
  },
  {
    when: 'a field has another type',
    change: at('GET /api/v2/tags', (_call, { body, query }) => {
      if (!query.has('_fields')) for (const tag of body.data) tag.id = String(tag.id);
    }),
    law: 'answers',
    subject: 'tags_list',
    message: /tags_list \(200\) breaks the contract: \/data\/0\/id must be integer/,
  },
  {
    when: 'a value is not in a closed list',
    change: at('GET /api/v2/monitors', (_call, { body }) => {
      if (body.data[0]) body.data[0].last_status = 'dreaming';
    }),
    law: 'answers',
    subject: 'monitors_list',
    message: /monitors_list \(200\) breaks the contract: \/data\/0\/last_status must be equal to one of the allowed/,
  },
  {
    when: 'the order parameter is ignored',
    change: at('GET /api/v2/time-tracker', (_call, { body }) =>
      body.data.sort((one: { id: number }, other: { id: number }) => one.id - other.id),
    ),
    law: 'order',
    subject: 'time_tracker_list title',
    message: /time_tracker_list by title: desc is not asc backwards/,
  },
  {
    when: '_fields is ignored',
    change: at('GET /api/v2/sites', (_call, { body, query }) => {
      if (query.get('_fields') !== null) for (const site of body.data) site.notes = '';
    }),
    law: 'fields',
    subject: 'sites_list',
    message: /sites_list with _fields=url shows notes/,
  },
  {
    when: 'a record has no ETag',
    change: at('GET /api/v2/settings/general', (_call, { headers }) => delete headers['etag']),
    law: 'tags of records',
    subject: 'settings_general_get',
    message: /settings_general_get answers without ETag/,
  },
  {
    when: 'If-None-Match is ignored',
    change: (call, answer) => {
      if (call === 'GET /api/v2/settings/emails' && answer.status === 304) answer.status = 200;
    },
    law: 'tags of records',
    subject: 'settings_emails_get',
    message: /settings_emails_get answers 200 to the tag that it gave/,
  },
  {
    when: 'invalid input is accepted',
    change: (call, answer) => {
      if (call === 'GET /api/v2/outbox' && answer.query.get('page') === '0') answer.status = 200;
    },
    law: 'refusals',
    subject: 'outbox_list',
    message: /outbox_list \(200\) breaks the contract/,
  },
  {
    when: 'an unknown path has another error code',
    change: (call, { status, body }) => {
      if (call.startsWith('GET /api/v2/no-such') && status === 404) body.code = 'rest_gone';
    },
    law: 'refusals',
    subject: '/api/v2 unknown address',
    message: /answers 404 rest_gone, where it must refuse with 404 rest_no_route/,
  },
  {
    when: 'a wrong verb gets no Allow header',
    change: (_call, { status, headers }) => {
      if (status === 405) delete headers['allow'];
    },
    law: 'refusals',
    subject: '/abilities/v1 unknown verb',
    message: /with Allow: nothing, where it must refuse with 405/,
  },
  {
    when: 'the served contract lacks a field',
    change: at('GET /openapi/v2.json', (_call, { body }) => delete body.components.schemas.Cost.properties.note),
    law: 'contract',
    subject: 'v2 field-removed Cost.note',
    message: /Cost has no note any more/,
  },
];
