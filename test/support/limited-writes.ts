import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { ForbiddenError } from '../../src/shared/errors.ts';
import type { CallOptions, World, WorldResponse } from './world.ts';

/** True for the refusal of a record with this number of sites outside the limits. */
export const outsideBy =
  (sites: number) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof ForbiddenError, String(error));
    assert.deepEqual([error.code, error.data], ['svc_outside_limits', { sites_outside: sites }]);
    return true;
  };

const WAIT_MS = 100;

/** Begins `write` while a transaction with the other write is open, and commits that one. */
export async function whileAnotherWrites<T>(
  knex: Knex,
  other: (trx: Knex) => Promise<unknown>,
  write: () => Promise<T>,
): Promise<T> {
  const { running } = await knex.transaction(async (trx) => {
    await other(trx);
    const running = write();
    running.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    return { running };
  });
  return running;
}

/** Returns the body of the refusal of a record with this number of sites outside the limits. */
export const refusalOf = (record: 'client' | 'tag', sites: number) => ({
  code: 'svc_outside_limits',
  message: `The ${record} has sites that are outside your limits.`,
  data: { status: 403, sites_outside: sites },
});

export type CallBelow = (
  method: string,
  path: string,
  expect: number,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<WorldResponse>;

/** Returns calls of paths below `base`. `current` returns the world and the caller of each call. */
export const callsBelow =
  (base: string, current: () => { world: World; caller: CallOptions }): CallBelow =>
  (method, path, expect, body, headers = {}) => {
    const { world, caller } = current();
    return world.request(method, `${base}/${path}`, {
      ...caller,
      headers: { ...caller.headers, ...headers },
      expect,
      ...(body === undefined ? {} : { body }),
    });
  };

/** Calls and keeps status and body of each response, and whether it has an ETag. */
export function recordAnswers(call: CallBelow) {
  const answers: unknown[] = [];
  const note = async (method: string, path: string, expect: number, body?: unknown): Promise<void> => {
    const { status, body: answer, headers } = await call(method, path, expect, body);
    answers.push([status, answer, headers.etag === undefined]);
  };
  return { answers, note };
}

type AbilityCall = readonly [name: string, input: object];

/**
 * Checks that writes of a record with sites outside get `refusal`, and that writes of a record without visible sites
 * get the same response as those of a record that does not exist.
 */
export async function assertWritesRefused(
  run: (name: string, input: object, expect: number) => Promise<{ code: string }>,
  writesOf: (id: number) => readonly AbilityCall[],
  { shared, hidden }: { shared: number; hidden: number },
  refusal: object,
  notFound: string,
): Promise<void> {
  for (const [name, input] of writesOf(shared)) assert.deepEqual(await run(name, input, 403), refusal, name);
  for (const [at, [name, input]] of writesOf(hidden).entries()) {
    const [, missing] = writesOf(999_999)[at] ?? assert.fail();
    const answer = await run(name, input, 404);
    assert.deepEqual(answer, await run(name, missing, 404), name);
    assert.equal(answer.code, notFound);
  }
}

/** Replaces IDs, times and the name of the caller, which differ between two runs of the same calls. */
export const comparable = (answers: unknown, caller: string): string =>
  JSON.stringify(answers)
    .replaceAll(caller, 'caller')
    .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"T"')
    .replace(/("(?:id|client_id|tag_id)":)\d+/g, '$1N')
    .replace(/("(?:selected_sites|sites_ids|site_order)":\[)[\d,]+/g, (_, start: string) => `${start}N`);
