import assert from 'node:assert/strict';
import { SECURITY_FLAGS, type ChildStats } from '../../../src/connector/child-site.ts';
import { deref } from '../../../src/contract/index.ts';
import { securityIssues, type SecurityFlags } from '../../../src/domains/security/security.ts';
import { SecurityReadModel, securitySection } from '../../../src/domains/security/index.ts';
import { readContract } from '../../../src/surfaces/generated-files.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { storeSite } from '../../support/sites.ts';

interface IssueSchema {
  properties: { type: object; severity: object };
}

/** Returns the severity of each issue type, and the types in order. */
function issuesOfContract(): { severities: Record<string, string>; types: string[] } {
  const contract = readContract('abilities');
  const issue = contract.components['schemas']?.['SecurityIssue'] as IssueSchema;
  const { 'x-extensible-enum': types } = deref(contract, issue.properties.type) as {
    'x-extensible-enum': string[];
  };
  const { description } = deref(contract, issue.properties.severity) as { description: string };
  const lists = [...description.matchAll(/`(high|medium|low)`: ((?:`\w+`(?:,\s)?)+)/g)];
  const severities = lists.flatMap(([, severity = '', list = '']) =>
    [...list.matchAll(/\w+/g)].map(([type]) => [type, severity]),
  );
  return { severities: Object.fromEntries(severities) as Record<string, string>, types };
}

const stats = (security?: SecurityFlags): ChildStats => ({
  childVersion: '6.1',
  wpVersion: null,
  phpVersion: null,
  dbVersion: null,
  ip: null,
  siteUrl: null,
  activeThemeName: null,
  ...(security ? { security } : {}),
  moreChanges: false,
  regverify: null,
});

const allOf = (value: 'Y' | 'N' | 'Y_UNABLE' | 'N_UNABLE'): SecurityFlags =>
  Object.fromEntries(SECURITY_FLAGS.map((flag) => [flag, value]));

describe('security issues', () => {
  it('when all checks fail, then the issues have the severities and order of the contract and a message each', () => {
    const issues = securityIssues(allOf('N'));
    const { severities, types } = issuesOfContract();
    assert.deepEqual(Object.fromEntries(issues.map(({ type, severity }) => [type, severity])), severities);
    assert.deepEqual(
      issues.map(({ type }) => type),
      types,
    );
    assert.equal(new Set(issues.map(({ message }) => message)).size, 10);
    assert.ok(issues.every(({ message }) => /^[A-Z].*\.$/.test(message)));
  });

  it('when a flag is not good, then it is an issue, even if the site cannot fix it', () => {
    assert.equal(securityIssues(allOf('N_UNABLE')).length, 10);
    assert.deepEqual(securityIssues(allOf('Y')), []);
    assert.deepEqual(securityIssues(allOf('Y_UNABLE')), []);
    assert.deepEqual(
      securityIssues({ debug_disabled: 'N', wp_uptodate: 'Y', sslprotocol: 'N_UNABLE' }).map(({ type }) => type),
      ['sslprotocol', 'debug_disabled'],
    );
  });
});

describe('security section of a sync', () => {
  let store: TestDatabase;
  let site: { id: number; urlKey: string };

  const write = (flags: SecurityFlags): Promise<void> =>
    store.database.knex.transaction(async (trx) => {
      const value = securitySection.read(stats(flags));
      assert.ok(value);
      await securitySection.write(trx, [{ site, value, now: Date.now(), isFirst: false }]);
    });

  beforeEach(async () => {
    store = await openTestDatabase();
    site = { id: await storeSite(store.database.knex, 'a.example'), urlKey: 'a.example' };
  });
  afterEach(() => store.close());

  it('when the child sent no security flags, then the stored ones stay', () => {
    assert.equal(securitySection.read(stats()), undefined);
  });

  it('when flags arrive in any order, then the same value is read', () => {
    assert.deepEqual(
      securitySection.read(stats({ wp_uptodate: 'N', db_reporting: 'Y' })),
      securitySection.read(stats({ db_reporting: 'Y', wp_uptodate: 'N' })),
    );
  });

  it('when flags are stored, then they replace those of that site only', async () => {
    const read = new SecurityReadModel(store.database.knex);
    await write(allOf('N'));
    assert.equal((await read.issuesOf(site.id)).length, 10);
    const first = site;
    site = { id: await storeSite(store.database.knex, 'b.example'), urlKey: 'b.example' };
    await write({ debug_disabled: 'N' });
    await write({ debug_disabled: 'Y', sec_inactive_themes: 'N_UNABLE' });
    assert.deepEqual(await read.issuesOf(site.id), [
      { type: 'sec_inactive_themes', severity: 'low', message: 'Inactive themes are installed.' },
    ]);
    assert.equal((await read.issuesOf(first.id)).length, 10);
    await write({});
    assert.deepEqual(await read.issuesOf(site.id), []);
  });

  it('when a site never reported, then there are no issues', async () => {
    assert.deepEqual(await new SecurityReadModel(store.database.knex).issuesOf(site.id), []);
  });
});
