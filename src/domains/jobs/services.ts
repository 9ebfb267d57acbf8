import type { FleetRunner } from './fleet-runner.ts';
import type { JobReadModel } from './job-read-model.ts';
import type { LaterLooks } from './later-looks.ts';

export interface JobsServices {
  jobs: JobReadModel;
  runner: FleetRunner;
  looks: LaterLooks;
}
