import type { components } from '../../../../generated/v2.ts';
import { currentStopOf, type Job, type StageCounts } from '../../../domains/jobs/index.ts';

type Schemas = components['schemas'];
type Ring = Schemas['JobRing'];

export function ringsView(job: Job, counts: readonly StageCounts[]): { rings: Ring[]; stop_reason: string | null } {
  const names = job.stages?.names ?? [];
  const rings = counts.map((stage, at): Ring => {
    const { total, succeeded, partial, failed, unknown, flawed: broken, proven, idle } = stage;
    return {
      name: names[at] ?? '',
      state: ringStateOf(job, stage, at),
      total,
      succeeded: succeeded + partial,
      failed,
      broken,
      installed: succeeded + partial - idle,
      proven,
      unknown,
      nothing_to_do: idle,
    };
  });
  return { rings, stop_reason: stopReasonOf(job, names, counts) };
}

function stopReasonOf(job: Job, names: readonly string[], counts: readonly StageCounts[]): string | null {
  const { stoppedStage } = job;
  const stageStop = currentStopOf(job, counts);
  if (!stageStop || stoppedStage === null) return null;
  const { why, count, limit } = stageStop;
  const ring = names[stoppedStage] ?? '';
  const sites = count === 1 ? '1 site' : `${count} sites`;
  switch (why) {
    case 'flawed':
      return (
        `After the updates, ${sites} ${count === 1 ? 'is' : 'are'} broken by the end of the ring ${ring}, ` +
        `and the run stops at ${limit}.`
      );
    case 'missed':
      return (
        `${sites} failed, could not be reached or ended with an unknown outcome in the ring ${ring}` +
        `${counts.some(({ flawed }) => flawed > 0) ? ', not counting broken sites' : ''}, ` +
        `and the run stops at ${limit}.`
      );
    case 'unknown':
      return `${sites} ended with an unknown outcome in the ring ${ring}, and a guarded run stops at ${limit}.`;
    case 'unproven':
      return (
        `The ring ${ring} proved nothing: ${sites} had updates, ` +
        'and no update was installed on a site that is well afterwards.'
      );
  }
}

function ringStateOf(
  { state, completedAt, openStage, stoppedStage, stageStop }: Job,
  stage: StageCounts,
  at: number,
): Ring['state'] {
  const passed = stage.idle === stage.total ? 'nothing_to_do' : 'passed';
  if (stoppedStage !== null) {
    if (at !== stoppedStage) return at < stoppedStage ? passed : 'not_begun';
    return stageStop?.why === 'flawed' ? 'broken' : 'stopped';
  }
  if (at < openStage) return passed;
  if (state === 'cancelled') return at === openStage ? 'cancelled' : 'not_begun';
  if (completedAt !== null) return passed;
  return at === openStage ? 'running' : 'waiting';
}
