import type { World } from './world.ts';

export { editSettings } from './settings.ts';

/** A clock that a test moves. */
export class ManualClock {
  time: number;

  constructor(start: string) {
    this.time = Date.parse(start);
  }

  now(): number {
    return this.time;
  }

  set(at: string): void {
    this.time = Date.parse(at);
  }
}

/** Returns a schedule as callers read it. */
export const readSchedule = async (world: World, name: string) =>
  (await world.request('GET', `/api/v2/schedules/${name}`)).body.data;

/** Starts a run and waits for its job. Returns the job with its items. */
export async function runSchedule(world: World, name: string) {
  const { body } = await world.request('POST', `/api/v2/schedules/${name}/run`);
  return world.finishedJob(body.data.job_id as string);
}

/** Makes the service check its schedules at this time. Returns the IDs of all jobs of one schedule so far. */
export async function runDueAt(world: World, clock: ManualClock, name: string, at: string): Promise<string[]> {
  clock.set(at);
  await world.container.services.schedules.runner.tick();
  return world.container.database
    .knex('jobs')
    .where({ requested_by: `schedule:${name}` })
    .orderBy('created_at')
    .pluck<string[]>('id');
}
