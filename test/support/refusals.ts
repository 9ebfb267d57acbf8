import assert from 'node:assert/strict';
import type { World } from './world.ts';

export interface Refusal {
  code: string;
  data: { errors?: { path: string }[]; site_ids?: number[] };
}

/** Returns the fields that the error of a v2 call names, in their order. */
export async function refusedFields(world: World, method: string, path: string, body?: unknown): Promise<string[]> {
  const answer = await world.request<Refusal>(method, path, { body, expect: 400 });
  assert.equal(answer.body.code, 'rest_invalid_param', path);
  return (answer.body.data.errors ?? []).map((error) => error.path);
}

/** Invalid calls of an ability. `input` is valid. */
export interface RefusalCases {
  name: string;
  reads: boolean;
  /** Returns a new input for each call. */
  input: () => Promise<Record<string, unknown>> | Record<string, unknown>;
  /** The field that names the client or tag. */
  reference?: 'client_id_or_email' | 'tag_id';
  required?: string;
  /** Invalid fields, with one value each. */
  bad: [field: string, value: unknown][];
}

/** Tests that an ability rejects invalid fields, unknown references, and callers without the permission. */
export function testRefusals(world: () => World, { name, reads, input, reference, required, bad }: RefusalCases): void {
  const refused = (given: unknown, expect: number): Promise<Refusal> =>
    // Uses POST, because a query string has no types.
    world().ability<Refusal>(name, given, { expect, method: 'POST' });

  it(`when ${name} gets invalid input, then the error names each field`, async () => {
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
    it(`when ${name} names an unknown ${referred}, then the response is 404`, async () => {
      const good = await input();
      const unknown = reference === 'tag_id' ? [999_999] : [999_999, '999999', 'nobody@example.com', 'nobody'];
      for (const value of unknown) {
        const { code } = await refused({ ...good, [reference]: value }, 404);
        assert.equal(code, `svc_${referred}_not_found`, String(value));
      }
    });

  it(`when the caller has no permission for ${name}, then the request is rejected`, async () => {
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
