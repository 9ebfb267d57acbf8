import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { JobsServices } from '../jobs/index.ts';
import type { SitesServices } from '../sites/index.ts';
import { InfoMessageDismissals } from './info-message-dismissals.ts';
import { ToolRuns } from './tool-runs.ts';
import { toolJobs } from './tool.jobs.ts';

interface ToolsPartDeps {
  jobs: JobsServices;
  sites: SitesServices;
}

export function toolsPart({ knex, clock, child }: Platform, { jobs, sites }: ToolsPartDeps) {
  const kinds = toolJobs({ child, sites });
  const runs = new ToolRuns({ clock, jobs: jobs.jobs, runner: jobs.runner, list: sites.list, kinds });
  return definePart({
    name: 'tools',
    own: { runs, messages: new InfoMessageDismissals({ knex, clock }) },
    jobs: Object.values(kinds),
  });
}

export type ToolsServices = OwnOf<typeof toolsPart>;
