import assert from 'node:assert/strict';
import { deref, jsonMediaOf, operationsOf, VERBS, type Schema } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';

/** Interface 4.2: name, method and input fields. `*` marks required fields. */
const SITE_ABILITIES: [name: string, method: 'get' | 'post', input: string][] = [
  ['list-sites-v1', 'get', 'page per_page status search client_id tag_id'],
  ['get-site-v1', 'post', 'site_id_or_domain* include_stats'],
  ['sync-sites-v1', 'post', 'site_ids_or_domains'],
  ['add-site-v1', 'post', 'url* admin* name client_id tags http_user http_pass ssl_verify'],
  ['update-site-v1', 'post', 'site_id_or_domain* name notes client_id tags'],
  ['delete-site-v1', 'post', 'site_id_or_domain* confirm dry_run'],
  ['reconnect-site-v1', 'post', 'site_id_or_domain*'],
  ['disconnect-site-v1', 'post', 'site_id_or_domain*'],
  ['suspend-site-v1', 'post', 'site_id_or_domain*'],
  ['unsuspend-site-v1', 'post', 'site_id_or_domain*'],
  ['check-site-v1', 'post', 'site_id_or_domain*'],
  ['get-site-plugins-v1', 'post', 'site_id_or_domain* status has_update'],
  ['activate-site-plugins-v1', 'post', 'site_id_or_domain* slugs*'],
  ['deactivate-site-plugins-v1', 'post', 'site_id_or_domain* slugs*'],
  ['delete-site-plugins-v1', 'post', 'site_id_or_domain* slugs* confirm'],
  ['get-site-themes-v1', 'post', 'site_id_or_domain*'],
  ['activate-site-theme-v1', 'post', 'site_id_or_domain* slug*'],
  ['delete-site-themes-v1', 'post', 'site_id_or_domain* slugs* confirm'],
  ['get-abandoned-plugins-v1', 'get', 'page per_page'],
  ['get-abandoned-themes-v1', 'get', 'page per_page'],
  ['get-site-security-v1', 'post', 'site_id_or_domain*'],
  ['get-site-changes-v1', 'post', 'site_id_or_domain* page per_page'],
  ['get-site-client-v1', 'post', 'site_id_or_domain*'],
  ['get-site-costs-v1', 'post', 'site_id_or_domain*'],
  ['count-sites-v1', 'get', 'status'],
  ['get-sites-basic-v1', 'get', ''],
  ['reconnect-sites-v1', 'post', 'site_ids_or_domains'],
  ['disconnect-sites-v1', 'post', 'site_ids_or_domains*'],
  ['check-sites-v1', 'post', 'site_ids_or_domains'],
  ['suspend-sites-v1', 'post', 'site_ids_or_domains*'],
];
/** The interface lists these with POST. They have no side effects and also serve GET. */
const ALSO_GET = [
  'get-site-v1',
  'get-site-plugins-v1',
  'get-site-themes-v1',
  'get-site-security-v1',
  'get-site-changes-v1',
  'get-site-client-v1',
  'get-site-costs-v1',
];
const DEFAULTS: Record<string, Record<string, unknown>> = {
  'list-sites-v1': { page: 1, per_page: 20, status: 'any', search: '' },
  'get-site-v1': { include_stats: false },
  'add-site-v1': { ssl_verify: true },
  'delete-site-v1': { dry_run: false },
  'get-site-plugins-v1': { status: 'all' },
  'get-abandoned-plugins-v1': { page: 1, per_page: 50 },
  'get-abandoned-themes-v1': { page: 1, per_page: 50 },
  'get-site-changes-v1': { page: 1, per_page: 50 },
  'count-sites-v1': { status: 'any' },
};
const MODULES: Record<string, string> = { 'get-site-changes-v1': 'logs', 'get-site-costs-v1': 'cost-tracker' };

const contract = readContract('abilities');
const itemOf = (name: string) => contract.paths[`/svc/${name}/run`] ?? assert.fail(`${name} is missing`);

function inputOf(name: string, verb: 'get' | 'post'): Schema {
  const operation = itemOf(name)[verb];
  const body = jsonMediaOf(operation?.requestBody)?.schema;
  const carrier =
    verb === 'post' ? body && deref(contract, body).properties?.['input'] : operation?.parameters?.[0]?.schema;
  assert.ok(carrier, `${name} takes no input`);
  return deref(contract, carrier);
}

describe('contract of the site abilities', () => {
  it('when the interface lists a site ability, then the contract has it, 30 in all', () => {
    assert.equal(SITE_ABILITIES.length, 30);
    for (const [name] of SITE_ABILITIES) assert.equal(itemOf(name)['x-ability']?.category, 'svc-sites');
  });

  for (const [name, method, input] of SITE_ABILITIES) {
    it(`when ${name} is called with ${method.toUpperCase()}, then its input has the fields of the interface`, () => {
      assert.equal(itemOf(name)[method]?.operationId, name);
      const schema = inputOf(name, method);
      assert.equal(schema['additionalProperties'], false);
      const known = Object.keys(schema.properties ?? {});
      for (const field of input.split(' ').filter(Boolean)) assert.ok(known.includes(field.replace('*', '')), field);
      const required = input.split(' ').flatMap((field) => (field.endsWith('*') ? field.slice(0, -1) : []));
      assert.deepEqual([...(schema.required ?? [])].sort(), required.sort());
      for (const [field, value] of Object.entries(DEFAULTS[name] ?? {})) {
        const found = schema.properties?.[field] ?? {};
        assert.deepEqual(found.default ?? deref(contract, found).default, value, field);
      }
    });

    const further = method === 'get' ? ['post'] : ALSO_GET.includes(name) ? ['get'] : [];
    it(`when ${name} is called with other verbs, then it serves ${further.join().toUpperCase() || 'none'}`, () => {
      const verbs = VERBS.filter((verb) => itemOf(name)[verb]);
      assert.deepEqual([...verbs].sort(), [method, ...further].sort());
      for (const verb of further) {
        assert.equal(itemOf(name)[verb as 'get' | 'post']?.operationId, `${name}__${verb}`);
        assert.deepEqual(inputOf(name, verb as 'get' | 'post'), inputOf(name, method));
      }
      for (const verb of verbs) assert.equal(itemOf(name)[verb]?.['x-module'], MODULES[name]);
    });
  }

  it('when the status of a job is requested, then GET and POST serve it', () => {
    assert.equal(itemOf('get-batch-job-status-v1').get?.operationId, 'get-batch-job-status-v1');
    assert.equal(itemOf('get-batch-job-status-v1').post?.operationId, 'get-batch-job-status-v1__post');
    assert.deepEqual(inputOf('get-batch-job-status-v1', 'get').required, ['job_id']);
  });

  it('when an ability changes state or calls a site, then it does not serve GET', () => {
    const names = Object.entries(contract.paths).filter(([, item]) => item['x-ability']);
    assert.ok(names.length >= 31);
    for (const [path, item] of names)
      if (!item['x-ability']?.readonly)
        assert.deepEqual([item.get, item['x-ability']?.readonly], [undefined, false], path);
    for (const name of ['check-site-v1', 'check-sites-v1', 'sync-sites-v1'])
      assert.equal(itemOf(name)['x-ability']?.readonly, false, name);
  });

  it('when an ability deletes, then it is destructive, and a readonly ability is idempotent and not destructive', () => {
    for (const [path, { 'x-ability': facts }] of Object.entries(contract.paths)) {
      if (!facts) continue;
      if (/\/delete-/.test(path)) assert.equal(facts.destructive, true, path);
      if (facts.readonly) assert.deepEqual([facts.destructive, facts.idempotent], [false, true], path);
    }
  });

  for (const surface of ['abilities', 'v2'] as const)
    it(`when an operation is in ${surface}, then its operationId is unique there`, () => {
      const ids = operationsOf(readContract(surface)).map(({ operation }) => operation.operationId);
      assert.equal(new Set(ids).size, ids.length);
    });
});
