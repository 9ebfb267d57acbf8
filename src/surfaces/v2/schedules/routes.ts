import type { RequiredServices } from '../../../service/services.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { jobView } from '../jobs/view.ts';
import { scheduleView } from './view.ts';

export const routes = (
  { schedules: { schedules }, jobs: { jobs } }: RequiredServices<'schedules' | 'jobs'>,
  context: BaseAddress,
): HandlersOf<'schedules'> => {
  const view = scheduleView(context);
  return {
    schedules_list: async ({ caller }) => {
      const records = await schedules.list();
      return { status: 200, body: { success: 1, data: records.map((record) => view(caller.sites, record)) } };
    },
    schedules_get: async ({ path, caller }) => ({
      status: 200,
      body: { success: 1, data: view(caller.sites, await schedules.get(path.name)) },
    }),
    schedules_run: async ({ path, caller }) => {
      const jobId = await schedules.run(path.name, caller.name);
      const data = jobId === null ? null : jobView(await jobs.get(caller.sites, jobId));
      return {
        status: 200,
        body: { success: 1, message: data ? 'The run has started.' : 'The run has finished without a job.', data },
      };
    },
  };
};
