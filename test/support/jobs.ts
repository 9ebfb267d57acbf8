import type { World } from './world.ts';

export interface ListedJob {
  job_id: string;
  type: string;
  status: string;
  processed: number;
  failed: number;
  requested_by: string;
}

/** The job that was made last, of this type or of any, as the list shows it. */
export async function newestJob(world: World, type?: string): Promise<ListedJob> {
  const { body } = await world.request('GET', `/api/v2/jobs?per_page=1${type === undefined ? '' : `&type=${type}`}`);
  return body.data[0];
}

/** The job that was made last, with its items and errors. */
export const readNewestJob = async (world: World, type?: string) =>
  (await world.request('GET', `/api/v2/jobs/${(await newestJob(world, type)).job_id}`)).body;
