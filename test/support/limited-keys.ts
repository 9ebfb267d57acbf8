import type { CallOptions, World, WorldResponse } from './world.ts';

/** Sends requests with a key of its own. */
export type RequestByKey = (
  method: string,
  path: string,
  body?: object | null,
  expect?: number,
) => Promise<WorldResponse>;

/** Adds a key with this limit, or without one, and returns the options of a request with it. */
export async function callerWithin(world: World, limit: object | null): Promise<CallOptions> {
  const key = { scope: 'read_write', limit };
  const { token } = (await world.request('POST', '/api/v2/rest-api/add-key', { body: key })).body.data;
  return { as: 'nobody', headers: { authorization: `Bearer ${token as string}` } };
}

/** Adds a key with this limit, or without one, and returns requests with it. */
export async function requestsWithin(world: World, limit: object | null): Promise<RequestByKey> {
  const caller = await callerWithin(world, limit);
  return (method, path, body = null, expect = 200) =>
    world.request(method, `/api/v2${path}`, { ...caller, expect, ...(body && { body }) });
}
