import assert from 'node:assert/strict';
import type { SiteStatus } from '../../../src/domains/sites/index.ts';
import { SiteRepository } from '../../../src/domains/sites/site-repository.ts';
import type { World } from '../../support/world.ts';

export interface Refusal {
  code: string;
  data: { errors?: { path: string }[]; site_ids?: number[] };
}

export const idsOf = (items: { id: number }[]): number[] => items.map(({ id }) => id);

/** SQL statements of a call; the fewest of some tries, since what the service does meanwhile by itself counts too. */
export async function statementsOf(
  world: World,
  work: () => Promise<unknown>,
  prepare: () => Promise<unknown> = () => Promise.resolve(),
): Promise<number> {
  const counts: number[] = [];
  for (let attempt = 0; attempt < 4; attempt++) {
    await prepare();
    counts.push(await world.countStatements(work));
  }
  return Math.min(...counts);
}

/** Makes every kept total count anew. */
export const forgetTotals = (world: World): Promise<unknown> =>
  world.container.database.knex('revisions').increment('value', 1);

export interface SeededSite {
  status?: SiteStatus;
  clientId?: number | null;
  tagIds?: number[];
}

let seeded = 0;

/** Stores the record of a site that no fleet simulates; its address sorts after those that were seeded before. */
export async function seedSite(world: World, { status = 'connected', clientId, tagIds }: SeededSite = {}) {
  const { knex } = world.container.database;
  const urlKey = `seeded-${String(++seeded).padStart(5, '0')}.example`;
  const repository = new SiteRepository(knex, Date.now());
  const fields = {
    url: `https://${urlKey}/`,
    urlKey,
    name: urlKey,
    clientId: clientId ?? null,
    adminUsername: 'admin',
  };
  const id = await repository.insert(fields);
  await knex('site_secrets').insert({ site_id: id, server: world.url });
  await repository.patch(id, { status });
  await repository.setTags(id, urlKey, tagIds ?? []);
  await knex('revisions').whereIn('name', ['sites', 'tags']).increment('value', 1);
  return { id, url: fields.url, name: fields.name, status };
}

/** How an ability refuses what it must refuse; `input` is one that it takes. */
export interface Refusals {
  name: string;
  reads: boolean;
  /** Made anew for each call. */
  input: () => Promise<Record<string, unknown>> | Record<string, unknown>;
  /** The field that says which client or tag. */
  reference?: 'client_id_or_email' | 'tag_id';
  required?: string;
  /** Fields that break the contract, one value each. */
  bad: [field: string, value: unknown][];
}

/** Tests that an ability refuses bad input by field, unknown references, and callers without the right. */
export function itRefuses(world: () => World, { name, reads, input, reference, required, bad }: Refusals): void {
  const refused = (given: unknown, expect: number): Promise<Refusal> =>
    // By POST, since a query string has no types to get wrong.
    world().ability<Refusal>(name, given, { expect, method: 'POST' });

  it(`when ${name} gets what breaks the contract, then each field is named`, async () => {
    const good = await input();
    for (const [field, value] of [...bad, ['nope', 1] as [string, unknown]]) {
      const { code, data } = await refused({ ...good, [field]: value }, 400);
      assert.equal(code, 'ability_invalid_input', field);
      const paths = (data.errors ?? []).map(({ path }) => path);
      assert.ok(
        paths.length > 0 && paths.every((path) => path.startsWith(`input.${field}`)),
        `${field}: ${paths.join()}`,
      );
    }
    if (required === undefined) return;
    const { [required]: left, ...rest } = good;
    assert.ok(left !== undefined);
    const { code, data } = await refused(rest, 400);
    assert.deepEqual([code, data.errors?.map(({ path }) => path)], ['ability_invalid_input', [`input.${required}`]]);
  });

  const referred = reference === 'tag_id' ? 'tag' : 'client';
  if (reference)
    it(`when ${name} names an unknown ${referred}, then it is not found`, async () => {
      const good = await input();
      const unknown = reference === 'tag_id' ? [999_999] : [999_999, '999999', 'nobody@example.com', 'nobody'];
      for (const value of unknown) {
        const { code } = await refused({ ...good, [reference]: value }, 404);
        assert.equal(code, `svc_${referred}_not_found`, String(value));
      }
    });

  it(`when the caller has no right to ${name}, then it is refused`, async () => {
    const denied = reads ? (['writer'] as const) : (['viewer', 'reader'] as const);
    const rows = (): Promise<unknown[]> =>
      Promise.all(['clients', 'tags', 'sites'].map((table) => world().container.database.knex(table).select()));
    const given = await input();
    const before = await rows();
    for (const as of denied)
      assert.equal(
        (await world().ability<Refusal>(name, given, { as, expect: 403 })).code,
        'svc_permission_denied',
        as,
      );
    assert.equal(
      (await world().ability<Refusal>(name, given, { as: 'nobody', expect: 401 })).code,
      'svc_unauthenticated',
    );
    assert.deepEqual(await rows(), before);
    if (reads) for (const as of ['viewer', 'reader'] as const) await world().ability(name, given, { as });
    else await world().ability(name, given, { as: 'writer' });
  });
}
