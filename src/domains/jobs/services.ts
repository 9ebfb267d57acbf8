import type { FleetRunner } from './fleet-runner.ts';
import type { JobReadModel } from './job-read-model.ts';
import type { LaterLooks } from './later-looks.ts';

/** What other parts and the surfaces may ask of the jobs. */
export interface JobsServices {
  jobs: JobReadModel;
  runner: FleetRunner;
  looks: LaterLooks;
}
