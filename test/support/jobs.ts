import type { World } from './world.ts';

export interface ListedJob {
  job_id: string;
  type: string;
  status: string;
  processed: number;
  failed: number;
  requested_by: string;
}

/** Returns the newest job, of this type or of any, as in the list. */
export async function newestJob(world: World, type?: string): Promise<ListedJob> {
  const { body } = await world.request('GET', `/api/v2/jobs?per_page=1${type === undefined ? '' : `&type=${type}`}`);
  return body.data[0];
}

/** Returns the newest job with its items and errors. */
export const readNewestJob = async (world: World, type?: string) =>
  (await world.request('GET', `/api/v2/jobs/${(await newestJob(world, type)).job_id}`)).body;
