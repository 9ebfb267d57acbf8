import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { ExposureReadModel } from '../../../src/domains/vulnerabilities/exposure-read-model.ts';
import type { ExposureFilter } from '../../../src/domains/vulnerabilities/index.ts';
import { VulnerabilityReadModel } from '../../../src/domains/vulnerabilities/vulnerability-read-model.ts';
import { NotFoundError } from '../../../src/shared/errors.ts';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { recordStatements, withFreshDatabase } from '../../support/database.ts';
import { seedScopedSites, type ScopedSites } from '../../support/site-scopes.ts';

const ALL = { page: 1, perPage: 100 };
const WORST_FIRST = { by: 'severity', direction: 'desc' } as const;
const FILTERS: Omit<ExposureFilter, 'scope'>[] = [
  { state: 'any' },
  { state: 'open' },
  { state: 'ended' },
  { state: 'any', severities: ['high'], search: 'akismet' },
];
/** Index of the site, index of the vulnerability, true if the exposure is open. */
const EXPOSURES = [
  [0, 0, true],
  [1, 0, false],
  [2, 0, true],
  [2, 1, true],
  [3, 2, true],
  [4, 1, false],
  [4, 2, true],
] as const;

describe('vulnerabilities within a scope', () => {
  let knex: Knex;
  let exposures: ExposureReadModel;
  let vulnerabilities: VulnerabilityReadModel;
  let seeded: ScopedSites;
  let ids: number[];
  withFreshDatabase(({ database }) => (knex = database.knex));

  beforeEach(async () => {
    exposures = new ExposureReadModel(knex);
    vulnerabilities = new VulnerabilityReadModel(knex);
    seeded = await seedScopedSites(knex);
    const [feed] = await knex('vulnerability_feeds').insert({ kind: 'osv', location: 'feed.json', feed_key: 'osv' });
    const texts = { description: '', cvss_vector: '', details: '{"references":[],"notices":[]}', hash: '' };
    ids = [];
    for (const [index, title] of ['akismet', 'jetpack', 'woo'].entries()) {
      const row = { feed_id: feed, external_id: title, title, severity: 3 - index, ...texts };
      ids.push((await knex('vulnerabilities').insert(row))[0] as number);
    }
    await knex('exposures').insert(
      EXPOSURES.map(([site, vulnerability, isOpen], index) => ({
        ...{ site_id: seeded.sites[site], vulnerability_id: ids[vulnerability], severity: 3 - vulnerability },
        ...{ type: 'plugin', item: 'a/a.php', slug: 'a', name: 'A', version: '1', since: 100 + index, found_at: 200 },
        ...(isOpen ? { lasting: 1 } : { lasting: null, until: 300, ending: 'updated' }),
      })),
    );
  });

  it('when a scope is limited, then the list of exposures has those of its sites', async () => {
    for (const { name, scope, sees } of seeded.scopes)
      for (const filter of FILTERS) {
        const every = await exposures.page({ scope: ALL_SITES, ...filter }, WORST_FIRST, ALL);
        const expected = every.items.filter(({ site }) => sees(site.id));
        const found = await exposures.page({ scope, ...filter }, WORST_FIRST, ALL);
        assert.deepEqual([found.items, found.total], [expected, expected.length], name);
      }
  });

  it('when a scope is limited, then vulnerabilities are counted on its sites', async () => {
    for (const { name, scope, sees } of seeded.scopes)
      for (const filter of FILTERS) {
        const { items: all } = await exposures.page({ scope: ALL_SITES, ...filter }, WORST_FIRST, ALL);
        const visible = all.filter(({ site }) => sees(site.id));
        const { items, total } = await vulnerabilities.page({ scope, ...filter }, WORST_FIRST, ALL);
        const expected = ids.flatMap((id) => {
          const on = visible.filter(({ vulnerabilityId }) => vulnerabilityId === id);
          const open = on.filter(({ until }) => until === null);
          const since = open.length === 0 ? null : Math.min(...open.map((each) => each.since));
          return on.length === 0 ? [] : [[id, open.length, on.length - open.length, since]];
        });
        const counted = items.map((each) => [each.id, each.sitesExposed, each.sitesEnded, each.since]);
        assert.deepEqual([counted, total], [expected, expected.length], name);
      }
  });

  it('when no site of the scope has a vulnerability, then it is not found', async () => {
    for (const { name, scope, sees } of seeded.scopes)
      for (const [index, id] of ids.entries()) {
        const isVisible = EXPOSURES.some(([site, of]) => of === index && sees(seeded.sites[site] ?? 0));
        if (isVisible) assert.equal((await vulnerabilities.get(scope, id)).vulnerability.id, id, name);
        else await assert.rejects(vulnerabilities.get(scope, id), NotFoundError, name);
      }
  });

  it('when a scope is limited, then the summary counts its sites and needs no more statements', async () => {
    for (const { name, scope, sees } of seeded.scopes) {
      const { items } = await exposures.page({ scope: ALL_SITES, state: 'open' }, WORST_FIRST, ALL);
      const visible = items.filter(({ site }) => sees(site.id));
      const { sites, since, severities } = await exposures.numbers(scope);
      assert.equal(sites, new Set(visible.map(({ site }) => site.id)).size, name);
      assert.equal(since, visible.length === 0 ? null : Math.min(...visible.map((each) => each.since)), name);
      for (const [severity, numbers] of Object.entries(severities))
        assert.equal(numbers.exposures, visible.filter((each) => each.severity === severity).length, name);
      assert.equal((await recordStatements(knex, () => exposures.numbers(scope))).length, 2, name);
    }
  });
});
