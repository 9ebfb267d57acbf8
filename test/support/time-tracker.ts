import { createClient } from './clients.ts';
import type { World } from './world.ts';

const BASE = '/api/v2/time-tracker';

/** Creates a task. Returns the record. */
export const addTask = async (world: World, body: object) =>
  (await world.request('POST', `${BASE}/tasks/add`, { body })).body.data;

export const readTask = async (world: World, id: number) =>
  (await world.request('GET', `${BASE}/tasks/${id}`)).body.data;

export const editTask = async (world: World, id: number, body: object) =>
  (await world.request('PUT', `${BASE}/tasks/${id}/edit`, { body })).body.data;

/** Starts, pauses or stops the timer of a task. Returns the record. */
export const runTimer = async (world: World, id: number, verb: 'start' | 'pause' | 'stop', query = '') =>
  (await world.request('POST', `${BASE}/tasks/${id}/${verb}${query}`)).body.data;

/** Returns the code and the details of the error of a call. */
export const requestRefusal = async (world: World, status: number, method: string, path: string, body?: object) =>
  (await world.request(method, `${BASE}${path}`, { expect: status, ...(body && { body }) })).body;

/** Creates a bucket. Returns the record. */
export const addBucket = async (world: World, body: object) =>
  (await world.request('POST', `${BASE}/buckets/add`, { body })).body.data;

export const readBucket = async (world: World, id: number) =>
  (await world.request('GET', `${BASE}/buckets/${id}`)).body.data;

/** Creates a client with a bucket of ten hours at 80 per hour. */
export async function createClientWithBucket(world: World, name: string) {
  const client = await createClient(world, name);
  const bucket = await addBucket(world, { title: `${name}'s hours`, hours: 10, price: 80, clients: [client] });
  return { client, bucket: bucket.id as number };
}

/** Creates a stopped task of a client and the bucket that it debits. Returns their IDs as path parameters. */
export async function createWorkedTask(world: World, client: number, site: number | null = null) {
  const bucket = await addBucket(world, { title: 'Hours', hours: 10, price: 80, clients: [client] });
  const fields = { title: 'Work', client_id: client, site_id: site, bucket_id: bucket.id };
  const { id } = await addTask(world, fields);
  await runTimer(world, id, 'start');
  await runTimer(world, id, 'stop');
  return { task_id: id as number, bucket_id: bucket.id as number };
}
