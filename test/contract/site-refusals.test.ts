import assert from 'node:assert/strict';
import type { Fault } from '../../src/sandbox/index.ts';
import { documentedOperations } from '../support/documented-operations.ts';
import { exampleRequest } from '../../src/contract-checks/index.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test compares responses with the contract.

/** The result counts the downloads that arrive, whatever the site answers. */
const COUNTS_DOWNLOADS = /^sites_packages_check$/;
/** These operations report errors after sending in their items. */
const ANSWERS_BY_ITEM = /^(update-site-(plugins|themes|translations)-v1|updates_run_)/;
/** Items that require a call to the site, because those of the example do not. */
const SLUGS: Record<string, object> = {
  updates_run_translations: { slug: 'default' },
  sites_themes_delete: { slug: ['no-such-theme'] },
};
const CHALLENGE: Fault = { kind: 'raw', status: 403, body: '<html>Checking your browser</html>' };

describe('every operation on one site', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 2, fleet: { ips: 1 } });
  });
  after(() => world.close());
  afterEach(() => (world.site(1).fault = null));

  /** Calls each operation that lists the code, with this site reference. Returns the number of calls. */
  async function refused(status: number, code: string, ref: string | number, except = /^$/): Promise<number> {
    const asked = documentedOperations((known) => known.has(409, 'svc_ambiguous_site') && known.has(status, code));
    for (const { contract, place } of asked) {
      const { operationId } = place.operation;
      if (except.test(operationId)) continue;
      const given = { id_or_domain: ref, site_id_or_domain: ref, dry_run: false, confirm: true, ...SLUGS[operationId] };
      const { method, path, body } = await exampleRequest(contract, place, given);
      const answer = await world.request(method, path, { expect: status, ...(body === null ? {} : { body }) });
      assert.equal(answer.body.code, code, operationId);
    }
    return asked.length;
  }

  it('when no site matches the reference, then the response is 404', async () => {
    assert.ok((await refused(404, 'svc_site_not_found', 'nowhere.example')) > 90);
  });

  it('when several sites match the reference, then the response is 409', async () => {
    assert.ok((await refused(409, 'svc_ambiguous_site', new URL(world.site(0).url).host)) > 90);
  });

  it('when the site sends an invalid response, then the response is 502', async () => {
    world.site(1).fault = { kind: 'scalar', value: 'x' };
    const others = new RegExp(`${ANSWERS_BY_ITEM.source}|${COUNTS_DOWNLOADS.source}`);
    assert.ok((await refused(502, 'svc_site_bad_answer', world.siteId(1), others)) > 40);
  });

  it('when a firewall in front of the site rejects the call, then the response is 502', async () => {
    world.site(1).fault = CHALLENGE;
    assert.ok((await refused(502, 'svc_site_refused', world.siteId(1))) > 40);
  });

  it('when the site cannot be reached, then the response is 503', async () => {
    await world.closeAddress(world.siteId(1));
    assert.ok((await refused(503, 'svc_site_unreachable', world.siteId(1), ANSWERS_BY_ITEM)) > 40);
  });

  it('when an operation can find a site unreachable, then it also documents an address that must not be called', () => {
    const calling = documentedOperations((known) => known.has(503, 'svc_site_unreachable'));
    assert.ok(calling.length > 40);
    for (const { has, place } of calling) assert.ok(has(400, 'svc_address_refused'), place.operation.operationId);
  });
});
