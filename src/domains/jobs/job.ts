import type { ItemCounts, JobStages, JobState, StageStop } from '../../queue/index.ts';

export interface JobProgress extends ItemCounts {
  id: string;
  kind: string;
  state: JobState;
  total: number;
  processed: number;
}

export interface Job extends JobProgress {
  requestedBy: string;
  createdAt: number;
  startedAt: number | null;
  completedAt: number | null;
  stages: JobStages | null;
  openStage: number;
  stoppedStage: number | null;
  stageStop: StageStop | null;
}
