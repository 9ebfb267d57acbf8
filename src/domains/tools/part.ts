import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { JobsServices } from '../jobs/index.ts';
import type { SitesServices } from '../sites/index.ts';
import { InfoMessages } from './info-messages.ts';
import { ToolRuns } from './tool-runs.ts';
import { toolJobs } from './tool.jobs.ts';

interface Needs {
  jobs: JobsServices;
  sites: SitesServices;
}

export function toolsPart({ knex, clock, child }: Platform, { jobs, sites }: Needs) {
  const kinds = toolJobs({ child, sites });
  const runs = new ToolRuns({ clock, jobs: jobs.jobs, runner: jobs.runner, list: sites.list, kinds });
  return definePart({
    name: 'tools',
    own: { runs, messages: new InfoMessages({ knex, clock }) },
    jobs: Object.values(kinds),
  });
}

export type ToolsServices = OwnOf<typeof toolsPart>;
