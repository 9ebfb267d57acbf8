import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { basePathOf, errorCodesOf, isAlternativeVerb } from '../../src/contract/index.ts';
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

  it('when an operation is in the contract, then its page has name, path, four samples and responses', async () => {
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
        assert.ok(text.includes(status), `${entry.id} does not tell of ${status}.`);
      const codes = [...errorCodesOf(entry.contract, entry).values()].flat();
      assert.ok(codes.length > 0);
      for (const code of codes) assert.ok(text.includes(code), `${entry.id} does not tell of ${code}.`);
    }
  });

  it('when an operation has fields, then each has its name, type, limits and description', async () => {
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
      `${order.join()} are not in order`,
    );
  });

  it('when an operation has alternative verbs, then its page lists them and they have no page', async () => {
    const further = all.filter(({ operation }) => isAlternativeVerb(operation));
    assert.ok(further.length > 50);
    const files = await filesOfSite('.html');
    for (const each of further)
      assert.ok(
        textOf(await pageOf(each)).includes(`${each.verb.toUpperCase()} ${each.address}`),
        each.operation.operationId,
      );
    const pages = files.filter((file) => /^reference\/\w+\/[^/]+\.html$/.test(file) && !file.endsWith('/index.html'));
    assert.equal(pages.length, entries.length);
  });

  it('when an operation is searched by its name, then it is the first result', () => {
    const find = searchOf(documents);
    const missed = entries.filter(({ id }) => find(id)[0]?.name !== id).map(({ id }) => id);
    assert.deepEqual(missed, []);
  });

  it('when an operation is searched by its summary, then it is among the first results', () => {
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

  it('when a path, an error code or a word of a guide is searched, then its page is found', () => {
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
