import type { components } from '../../../../generated/v2.ts';
import type { Job, StageCounts } from '../../../domains/jobs/index.ts';

type Schemas = components['schemas'];
type Ring = Schemas['JobRing'];

export function ringsView(job: Job, counts: readonly StageCounts[]): { rings: Ring[]; stop_reason: string | null } {
  const { names, stopAfter } = job.stages ?? { names: [], stopAfter: 0 };
  const rings = counts.map(({ total, succeeded, failed, flawed: broken }, at): Ring => {
    return { name: names[at] ?? '', state: ringStateOf(job, at), total, succeeded, failed, broken };
  });
  const broken = counts.reduce((sum, { flawed }) => sum + flawed, 0);
  const ring = job.stoppedStage === null ? undefined : names[job.stoppedStage];
  return {
    rings,
    stop_reason:
      ring === undefined
        ? null
        : `The home page of ${broken} ${broken === 1 ? 'site is' : 'sites are'} broken at the end of the ring ` +
          `${ring}, and the run stops at ${stopAfter}.`,
  };
}

function ringStateOf({ state, completedAt, openStage, stoppedStage }: Job, at: number): Ring['state'] {
  if (stoppedStage !== null) return at < stoppedStage ? 'passed' : at === stoppedStage ? 'broken' : 'not_begun';
  if (at < openStage) return 'passed';
  if (state === 'cancelled') return at === openStage ? 'cancelled' : 'not_begun';
  if (completedAt !== null) return 'passed';
  return at === openStage ? 'running' : 'waiting';
}
