import type { components } from '../../../generated/v2.ts';
import type { ItemError } from '../../shared/item-error.ts';

type Schemas = components['schemas'];

export const jobUrl = (base: string, id: string): string => `${base}/jobs/${id}`;

export const queuedView = (
  { jobId, sitesQueued, errors }: { jobId: string; sitesQueued: number; errors: ItemError[] },
  base: string,
): Schemas['FleetQueued'] => ({
  success: 1,
  message: `${sitesQueued} ${sitesQueued === 1 ? 'site is' : 'sites are'} queued.`,
  queued: true,
  job_id: jobId,
  status_url: jobUrl(base, jobId),
  sites_queued: sitesQueued,
  total: sitesQueued,
  errors,
});
