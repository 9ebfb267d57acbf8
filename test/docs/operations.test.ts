import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { basePathOf, deref, errorCodesOf, isAlternativeVerb } from '../../src/contract/index.ts';
import { readErrorCodes, readItemCodes, readRemedies } from '../../scripts/contract/error-codes.ts';
import { operationPoliciesOf } from '../../src/http/operation-policy.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { ITEM_ERROR_CODES } from '../../src/shared/error-codes.ts';
import { searchOf, type SearchDocument } from '../../scripts/docs/search.ts';
import { documentedOperations } from '../support/documented-operations.ts';
import { filesOfSite, SITE } from '../support/docs-site.ts';

const textOf = (html: string): string =>
  html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

describe('operations in the docs', () => {
  const all = documentedOperations().map(({ contract, place }) => ({
    ...place,
    contract,
    surface: basePathOf(contract).startsWith('/abilities') ? 'abilities' : 'v2',
    address: basePathOf(contract) + place.path,
  }));
  const entries = all.filter(({ operation }) => !isAlternativeVerb(operation));
  const pageOf = ({ surface, id }: { surface: string; id: string }, ending = 'html'): Promise<string> =>
    readFile(join(SITE, 'reference', surface, `${id}.${ending}`), 'utf8');
  let documents: SearchDocument[];
  before(async () => {
    const [file = ''] = (await filesOfSite('.json')).filter((each) => each.startsWith('assets/search.'));
    documents = JSON.parse(await readFile(join(SITE, file), 'utf8')) as SearchDocument[];
  });

  it('when an operation is documented, then its page has the name, path, samples, statuses and error codes', async () => {
    for (const entry of entries) {
      const html = await pageOf(entry);
      const text = textOf(html);
      const { summary = '', responses } = entry.operation;
      for (const words of [
        summary,
        entry.id,
        entry.address,
        entry.verb.toUpperCase(),
        '$SITEFLEET_URL',
        '@sitefleet/sdk',
      ])
        assert.ok(text.includes(words), `${entry.id} does not show ${words}.`);
      for (const label of ['curl', 'TypeScript', 'Python', 'PHP'])
        assert.ok(html.includes(`data-label="${label}"`), `${entry.id} has no sample in ${label}.`);
      for (const status of Object.keys(responses))
        assert.ok(text.includes(status), `${entry.id} does not show ${status}.`);
      const codes = [...errorCodesOf(entry.contract, entry).values()].flat();
      assert.ok(codes.length > 0);
      for (const code of codes) assert.ok(text.includes(code), `${entry.id} does not show ${code}.`);
    }
  });

  it('when a field is documented, then name, type, limits and description are separate elements', async () => {
    const html = await pageOf({ surface: 'v2', id: 'tags_add' });
    const [, field = ''] = /<div><dt><code>name<\/code>(.*?)<\/div>/.exec(html) ?? [];
    for (const part of [
      '<span class="type">string</span>',
      '<strong class="required">required</strong>',
      '<dd class="fact">At most 255 characters',
    ])
      assert.ok(field.includes(part), `${part} is missing in ${field}`);
    const order = ['request-body', 'responses', 'errors', 'headers'].map((id) => html.indexOf(`id="${id}"`));
    assert.ok(
      order.every((place, index) => place > (order[index - 1] ?? 0)),
      `${order.join()} are in the wrong order`,
    );
  });

  for (const { id, field, type, fact } of [
    { id: 'users_import', field: 'csv_file', type: 'file (text/csv)', fact: 'At most 2 MiB.' },
    {
      id: 'sites_list',
      field: '_fields',
      type: 'array of strings',
      fact: 'At most 100 items. Each item: 1 to 100 characters.',
    },
    {
      id: 'monitors_edit',
      field: 'timeout',
      type: 'integer or string or null',
      fact: 'As an integer: 0 to 5,400. As a string: <code>useglobal</code>.',
    },
    {
      id: 'keys_edit',
      field: 'permissions',
      type: 'string or array of strings',
      fact: 'As an array of strings: 1 to 2 items, each item: one of <code>read</code>, <code>write</code>. As a string: at most 40 characters, pattern: <code>^\\s*(read|write)\\s*(,\\s*(read|write)\\s*)?$</code>.',
    },
    {
      id: 'posts_create',
      field: 'post_custom',
      type: 'map of strings or arrays of strings or nulls',
      fact: 'At most 200 entries. Each key: 1 to 255 characters.',
    },
    { id: 'clients_add', field: '&lt;key&gt;', type: 'string or null', fact: 'At most 65,535 characters.' },
    { id: 'settings_ssl_monitor_get', field: 'automatic_checks', type: 'integer', fact: 'Default: <code>1</code>.' },
    { id: 'tags_add', field: 'Idempotency-Replayed', type: 'string', fact: 'Possible values: <code>true</code>.' },
  ])
    it(`when ${field} of ${id} is documented, then its type and limits are shown`, async () => {
      const html = await pageOf({ surface: 'v2', id });
      const start = html.indexOf(`<div><dt><code>${field}</code> <span class="type">${type}</span>`);
      assert.ok(start > 0, `${field} of type ${type} is missing`);
      const item = html.slice(start, html.indexOf('</div>', start));
      assert.ok(item.includes(`<dd class="fact">${fact}</dd>`), item);
    });

  for (const { surface, id, field, details } of [
    {
      surface: 'v2',
      id: 'sites_security',
      field: 'db_reporting',
      details: 'hidden from visitors; `null` if the site did not report it. `Y` and `Y_UNABLE`: passed.',
    },
    {
      surface: 'abilities',
      id: 'check-sites-v1',
      field: 'site_ids_or_domains',
      details: 'is checked once. Digits are an ID.',
    },
  ])
    it(`when ${field} of ${id} can be null or is a list, then its description has the details of the value`, async () => {
      const page = await pageOf({ surface, id }, 'md');
      const line = page.split('\n').find((each) => each.trim().startsWith(`- \`${field}\` (`)) ?? '';
      assert.ok(line.includes(details), line);
    });

  it('when a map has values with a description, then the page shows it', async () => {
    const text = textOf(await pageOf({ surface: 'v2', id: 'pro_reports_plugins' }));
    assert.ok(text.includes('<key> stringText that replaces the token.'));
  });

  it('when content is not JSON, then its type and description are shown', async () => {
    for (const entry of entries)
      for (const response of Object.values(entry.operation.responses))
        for (const [type, { schema }] of Object.entries(deref(entry.contract, response).content ?? {})) {
          if (type === 'application/json') continue;
          const { description } = deref(entry.contract, schema) as { description?: string };
          assert.ok(description, `${entry.id} has no description of ${type}.`);
          const page = await pageOf(entry, 'md');
          assert.ok(
            page.includes(`Content type \`${type}\`: ${description}`),
            `${entry.id} does not describe ${type}.`,
          );
        }
  });

  it('when an operation has an error code, then its page shows the general meaning of the code and the remedy', async () => {
    const meanings = readErrorCodes();
    const remedies = readRemedies();
    for (const entry of entries) {
      const page = await pageOf(entry, 'md');
      for (const [status, codes] of errorCodesOf(entry.contract, entry))
        for (const code of codes) {
          const row = page.split('\n').find((line) => line.startsWith(`| \`${code}\` | ${status} | `)) ?? '';
          for (const text of [meanings[code]?.meaning, remedies[code]]) {
            const [first = ''] = text?.split(/(?<=\.) |\[/) ?? [];
            assert.ok(first !== '' && row.includes(`| ${first}`), `${entry.id} does not show ${first}`);
          }
        }
    }
  });

  for (const { surface, id, codes } of [
    {
      surface: 'abilities',
      id: 'delete-site-themes-v1',
      codes: ['svc_theme_not_found', 'svc_protected_item', 'svc_deletion_failed', 'svc_outcome_unknown'],
    },
    {
      surface: 'abilities',
      id: 'disconnect-sites-v1',
      codes: [
        'svc_site_not_found',
        'svc_outside_limits',
        'svc_ambiguous_site',
        'svc_still_running',
        'svc_cancelled',
        'svc_database_unavailable',
        'svc_internal_error',
      ],
    },
    { surface: 'v2', id: 'tags_add', codes: [] },
  ])
    it(`when items of ${id} can fail, then its page explains the codes of this operation`, async () => {
      const page = await pageOf({ surface, id }, 'md');
      const [, section = ''] = /## Errors of single items\n(.*?)\n## /s.exec(page) ?? [];
      const rows = section.split('\n').filter((row) => row.startsWith('| `'));
      const meanings: Record<string, string | undefined> = {
        ...Object.fromEntries(Object.entries(readErrorCodes()).map(([code, { meaning }]) => [code, meaning])),
        ...readItemCodes(),
      };
      assert.deepEqual(
        rows.map((row) => row.split(' | ')[0]),
        codes.map((code) => `| \`${code}\``),
      );
      for (const [index, code] of codes.entries()) {
        const sentences = meanings[code]?.split(/(?<=\.) /) ?? [];
        assert.ok(
          sentences.some((sentence) => rows[index]?.split(' | ')[1]?.startsWith(sentence)),
          code,
        );
      }
      // An item has no `data`.
      assert.doesNotMatch(section.replace(/^The response.*$/m, ''), /`data\./);
      const known = codes.map((code) => `\`${code}\``).join(', ');
      if (codes.length > 0) assert.ok(page.includes(`Known values: ${known}.`), id);
    });

  it('when the items of a job can fail with any code, then the page explains all of them', async () => {
    const page = await pageOf({ surface: 'v2', id: 'jobs_get' }, 'md');
    const [, section = ''] = /## Errors of single items\n(.*?)\n## /s.exec(page) ?? [];
    for (const code of ITEM_ERROR_CODES) assert.ok(section.includes(`| \`${code}\` |`), code);
  });

  it('when a field has many values, then its page lists all of them', async () => {
    for (const entry of entries) assert.doesNotMatch(await pageOf(entry, 'md'), /, and \d+ more/, entry.id);
    const page = await pageOf({ surface: 'v2', id: 'report_schedules_list' }, 'md');
    assert.match(page, /`segments`[^\n]*Known values:[^\n]*`vulnerable`/);
  });

  for (const { surface, id, field, isShown } of [
    { surface: 'v2', id: 'sites_list', field: 'ignored_themes', isShown: true },
    { surface: 'v2', id: 'sites_sync', field: 'ignored_themes', isShown: false },
    { surface: 'abilities', id: 'get-site-v1', field: 'stats', isShown: true },
    { surface: 'abilities', id: 'update-site-v1', field: 'stats', isShown: false },
  ])
    it(`when ${field} is only in other responses than that of ${id}, then its page omits the field`, async () => {
      const page = await pageOf({ surface, id }, 'md');
      assert.equal(page.includes(`- \`${field}\` (`), isShown);
    });

  for (const { surface, id, shown, omitted } of [
    { surface: 'v2', id: 'perf_audit_run_all', shown: ['identifier'], omitted: ['job_id', 'reason', 'type'] },
    { surface: 'abilities', id: 'disconnect-sites-v1', shown: ['job_id'], omitted: ['reason', 'slug'] },
    { surface: 'v2', id: 'updates_run', shown: ['job_id', 'reason', 'slug', 'type'], omitted: [] },
  ])
    it(`when items of ${id} fail, then its page shows the fields that these errors have`, async () => {
      const page = await pageOf({ surface, id }, 'md');
      const lines = page.split('\n');
      const depthOf = (line = ''): number => line.search(/\S/);
      const start = lines.findIndex((line) => /^ *- `errors` \(/.test(line));
      const end = lines.findIndex((line, index) => index > start && depthOf(line) <= depthOf(lines[start]));
      const names = lines.slice(start + 1, end).map((line) => /- `(\w+)` \(/.exec(line)?.[1] ?? '');
      for (const name of shown) assert.ok(names.includes(name), name);
      for (const name of omitted) assert.ok(!names.includes(name), name);
    });

  for (const { surface, id, shown = [], omitted = [] } of [
    { surface: 'v2', id: 'pages_create', omitted: ['After an update, or', 'If there is a `', 'In an edit,'] },
    {
      surface: 'v2',
      id: 'pages_edit',
      shown: ['In an edit, `publish`', 'In an edit, an empty text or `null` removes'],
    },
    {
      surface: 'abilities',
      id: 'update-site-core-v1',
      shown: ['After an update, or', 'If there is a `data.job_id`', 'In results of updates,'],
    },
    {
      surface: 'abilities',
      id: 'delete-site-themes-v1',
      shown: ['The active theme and its parent', 'With `svc_outcome_unknown`', 'If there is a `job_id`'],
      omitted: ['The child plugin and must-use', 'A plugin can have been', 'With `svc_still_running`'],
    },
    {
      surface: 'abilities',
      id: 'delete-site-plugins-v1',
      shown: ['The child plugin and must-use', 'A plugin can have been'],
      omitted: ['The active theme and its parent', 'In results of updates,'],
    },
    { surface: 'abilities', id: 'disconnect-sites-v1', omitted: ['With `svc_outcome_unknown`'] },
    { surface: 'v2', id: 'pro_reports_core', shown: ['Or a PDF was requested', 'If the message names Chromium'] },
    { surface: 'v2', id: 'ssl_monitor_check', omitted: ['Or a PDF was requested', 'If the message names Chromium'] },
    { surface: 'v2', id: 'jobs_get', shown: ['After an update, or', 'The active theme', 'In results of updates,'] },
    { surface: 'v2', id: 'monitors_list', omitted: ['`heartbeats`'] },
    { surface: 'abilities', id: 'delete-tag-v1', shown: ['It fails with 404, which a retry counts as success.'] },
    { surface: 'v2', id: 'tags_edit', omitted: ['It fails with 404, which a retry counts as success.'] },
    { surface: 'v2', id: 'batch_run', shown: ['A repeat runs all items again', 'change log', 'Deletions are final'] },
    { surface: 'abilities', id: 'abilities_list', omitted: ['input.colour'] },
  ] as { surface: string; id: string; shown?: string[]; omitted?: string[] }[])
    it(`when a shared text has sentences about other operations, then the page of ${id} omits them`, async () => {
      const page = await pageOf({ surface, id }, 'md');
      for (const words of shown) assert.ok(page.includes(words), `${id} lacks: ${words}`);
      for (const words of omitted) assert.ok(!page.includes(words), `${id} shows: ${words}`);
    });

  for (const { surface, id, links } of [
    {
      surface: 'abilities',
      id: 'update-all-v1',
      links: ['[`run-updates-v1`](run-updates-v1.md)', '[Jobs](../../guides/jobs.md)', '[general settings](../v2/'],
    },
    { surface: 'v2', id: 'time_tracker_tasks_start', links: ['[Time tracker](../../guides/time-tracker.md)'] },
    { surface: 'v2', id: 'pro_reports_core', links: ['[Reports](../../guides/reports.md)'] },
    { surface: 'v2', id: 'tags_get', links: [] },
  ])
    it(`when the description of ${id} depends on other pages, then its page links to them`, async () => {
      const page = await pageOf({ surface, id }, 'md');
      for (const link of links) assert.ok(page.includes(link), `${id} does not link to ${link}`);
      assert.equal(page.includes('- See also: '), links.length > 0);
    });

  it('when an operation writes, then its page says if a repeat is safe, as the service treats it', async () => {
    for (const contract of [readContract('abilities'), readContract('v2')])
      for (const policy of operationPoliciesOf(contract).values()) {
        const entry = entries.find(({ id }) => id === policy.id);
        if (!entry || !policy.isAudited) continue;
        const page = await pageOf(entry, 'md');
        assert.equal(page.includes('- Safe to repeat:'), policy.idempotency.isRepeatable, policy.id);
        assert.equal(
          page.includes('- A repeat runs the operation again:'),
          !policy.idempotency.isRepeatable,
          policy.id,
        );
      }
  });

  for (const { surface, id, sentence } of [
    { surface: 'v2', id: 'sites_plugins_activate', sentence: 'Each request to the site has 120 seconds, after a wait' },
    { surface: 'abilities', id: 'delete-site-v1', sentence: 'Each request to the site has 120 seconds, after a wait' },
    { surface: 'v2', id: 'updates_run_site', sentence: 'Each update has 15 minutes, and each other request' },
    { surface: 'v2', id: 'sites_packages_check', sentence: 'The site has 15 minutes to respond, after a wait' },
    { surface: 'v2', id: 'pro_reports_backups', sentence: 'The site has 60 seconds to respond, including the wait' },
    { surface: 'v2', id: 'sites_sync_all', sentence: 'Runs as a [job](../../guides/jobs.md), which continues' },
    { surface: 'v2', id: 'sites_list', sentence: null },
  ])
    it(`when ${id} is documented, then its page says how long a request to a site can take`, async () => {
      const page = await pageOf({ surface, id }, 'md');
      if (sentence !== null) assert.ok(page.includes(`- ${sentence}`), `${id} lacks: ${sentence}`);
      else assert.ok(!/seconds|minutes|continues if/.test(page.slice(0, page.indexOf('## Example request'))), id);
    });

  for (const { surface, id, sentence } of [
    { surface: 'abilities', id: 'get-client-v1', sentence: 'A client is visible to them if it has at least one;' },
    { surface: 'v2', id: 'report_schedules_get', sentence: 'A schedule is visible to them if it has at least one.' },
    { surface: 'v2', id: 'reports_get', sentence: 'A report is visible to them if they have all sites' },
  ])
    it(`when the records of ${id} have several sites, then its page says which ones a limited caller sees`, async () => {
      assert.ok((await pageOf({ surface, id }, 'md')).includes(`, with these sites. ${sentence}`));
    });

  it('when a call names one site, then its page says that a site outside the limits fails with 404', async () => {
    for (const [surface, id, isNamed] of [
      ['v2', 'sites_sync', true],
      ['abilities', 'get-site-v1', true],
      ['v2', 'sites_list', false],
      ['abilities', 'sync-sites-v1', false],
    ] as const) {
      const page = await pageOf({ surface, id }, 'md');
      assert.equal(page.includes(', with these sites; others fail with 404.'), isNamed, id);
    }
  });

  for (const { surface, id, sentence, isShown = true } of [
    {
      surface: 'v2',
      id: 'sites_list',
      sentence: 'An empty parameter counts as not sent. An unknown one fails with 400.',
    },
    {
      surface: 'v2',
      id: 'sites_plugins_delete',
      sentence: 'An empty parameter counts as not sent, unless it is a list.',
    },
    { surface: 'abilities', id: 'abilities_list', sentence: 'An empty parameter counts', isShown: false },
    { surface: 'v2', id: 'tags_edit', sentence: 'An unknown field fails with 400, and so does `null`' },
    { surface: 'abilities', id: 'update-tag-v1', sentence: 'An unknown field fails with 400, and so does `null`' },
    { surface: 'v2', id: 'tags_batch', sentence: 'An unknown field fails with 400', isShown: false },
  ])
    it(`when ${id} is documented, then its page says what happens to empty and unknown values`, async () => {
      assert.equal((await pageOf({ surface, id }, 'md')).includes(sentence), isShown);
    });

  it('when a response has an ETag, then the page says so', async () => {
    const bullet = '- The response has an [`ETag`]';
    for (const id of ['sites_get', 'reports_send', 'reports_revoke_links'])
      assert.ok((await pageOf({ surface: 'v2', id }, 'md')).includes(bullet), id);
    assert.ok(!(await pageOf({ surface: 'v2', id: 'sites_sync_all' }, 'md')).includes(bullet));
  });

  it('when the input of an ability has a list, then its page says how a query contains it', async () => {
    const notation = (field: string): string =>
      `Write a list as \`input[${field}]=<value>,<value>\` or as \`input[${field}][]=<value>\` for each value`;
    for (const [id, field] of [
      ['list-updates-v1', 'site_ids_or_domains'],
      ['get-site-updates-v1', 'types'],
    ] as const)
      assert.ok((await pageOf({ surface: 'abilities', id }, 'md')).includes(notation(field)), id);
    assert.ok(!(await pageOf({ surface: 'abilities', id: 'get-tag-v1' }, 'md')).includes('Write a list'));
  });

  for (const { id, noun } of [
    { id: 'costs_product_types_add', noun: /\btag\b/i },
    { id: 'costs_list', noun: /query\.page/ },
  ])
    it(`when ${id} shows an example of an error, then the example names no other operation`, async () => {
      const [, errors = ''] = (await pageOf({ surface: 'v2', id }, 'md')).split('\n## Errors\n');
      const [, example = ''] = /```json\n(.*?)```/s.exec(errors) ?? [];
      assert.match(example, /"code": "/);
      assert.doesNotMatch(example, noun);
    });

  it('when an operation has alternative methods, then its page lists them and they have no own page', async () => {
    const alternatives = all.filter(({ operation }) => isAlternativeVerb(operation));
    assert.ok(alternatives.length > 50);
    const files = await filesOfSite('.html');
    for (const each of alternatives)
      assert.ok(
        textOf(await pageOf(each)).includes(`${each.verb.toUpperCase()} ${each.address}`),
        each.operation.operationId,
      );
    const pages = files.filter((file) => /^reference\/\w+\/[^/]+\.html$/.test(file) && !file.endsWith('/index.html'));
    assert.equal(pages.length, entries.length);
  });

  it('when an operation ID is searched, then its page is the first result', () => {
    const find = searchOf(documents);
    const missed = entries.filter(({ id }) => find(id)[0]?.name !== id).map(({ id }) => id);
    assert.deepEqual(missed, []);
  });

  it('when a summary is searched, then the operation is among the first 20 results', () => {
    const find = searchOf(documents);
    const missed = entries.filter(
      ({ id, operation }) =>
        !find(operation.summary ?? '')
          .slice(0, 20)
          .some(({ name }) => name === id),
    );
    assert.deepEqual(
      missed.map(({ id }) => id),
      [],
    );
  });

  it('when a path, an error code or a topic is searched, then its page is found', () => {
    const find = searchOf(documents);
    const found = (words: string): string[] =>
      find(words)
        .slice(0, 10)
        .map(({ address }) => address);
    assert.ok(found('/api/v2/sites/{id_or_domain}/sync').includes('/reference/v2/sites_sync'));
    assert.ok(found('svc_outcome_unknown').some((address) => address.startsWith('/guides/errors')));
    assert.ok(found('idempotency').some((address) => address.startsWith('/guides/idempotency')));
    assert.deepEqual(found('xylophone'), []);
  });
});
