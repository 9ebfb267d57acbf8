import { END_STATES, type ItemCounts, type StageCounts, type StageStop } from '../../queue/index.ts';
import type { Job } from './job.ts';

/**
 * Returns a job for a caller who may see only some of its items. `counts` has the visible items of each stage. A stage
 * without a visible item has an empty name: stages are named after tags, and the caller may not see this tag.
 */
export function toVisibleJob(job: Job, counts: readonly StageCounts[]): Job {
  const total = sumOf(counts, 'total');
  if (total === job.total) return job;
  const ended = Object.fromEntries(END_STATES.map((state) => [state, sumOf(counts, state)])) as ItemCounts;
  const hasSuccess = ended.succeeded + ended.partial > 0;
  const names = (job.stages?.names ?? []).map((name, stage) => (counts[stage]?.total ? name : ''));
  return {
    ...job,
    ...ended,
    total,
    processed: total - sumOf(counts, 'unfinished'),
    state: job.state === 'completed' && !hasSuccess ? 'failed' : job.state,
    stages: job.stages && { ...job.stages, names },
    stageStop: visibleStopOf(job, counts),
  };
}

/** Returns why a job was stopped. Its number also includes the items that still ran when the job was stopped. */
export function currentStopOf(job: Job, counts: readonly StageCounts[]): StageStop | null {
  const { stageStop } = job;
  const visible = visibleStopOf(job, counts);
  return stageStop && visible ? { ...stageStop, count: visible.count } : stageStop;
}

/** Returns why a job was stopped, with the number of visible items. Null if no visible item is a reason for it. */
function visibleStopOf({ stages, stoppedStage, stageStop }: Job, counts: readonly StageCounts[]): StageStop | null {
  const stage = counts[stoppedStage ?? -1];
  if (!stageStop || !stage || stage.total === 0) return null;
  const { why } = stageStop;
  const busy = stage.total - stage.idle;
  const limitOfMissed = stages?.stopAfterMissed;
  const share = why === 'missed' && limitOfMissed && 'percent' in limitOfMissed ? limitOfMissed.percent : null;
  const limit = share === null ? stageStop.limit : Math.ceil((busy * share) / 100);
  const missed = share === null ? sumOf(counts, 'missed') : stage.missed;
  const count = { flawed: sumOf(counts, 'flawed'), missed, unknown: stage.unknown, unproven: busy }[why];
  return count === 0 ? null : { why, count, limit };
}

const sumOf = (counts: readonly StageCounts[], field: keyof StageCounts): number =>
  counts.reduce((sum, stage) => sum + stage[field], 0);
