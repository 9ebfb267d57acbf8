import type { components } from '../../../../generated/v2.ts';
import type { ListedPin, PinOnSite, PinRun } from '../../../domains/pins/index.ts';
import { isInPinRange } from '../../../domains/updates/index.ts';
import { toIso } from '../../../shared/clock.ts';
import { queuedView } from '../queued-view.ts';

type Schemas = components['schemas'];

export const pinView = (pin: ListedPin): Schemas['Pin'] => ({
  id: pin.id,
  site_id: pin.siteId,
  site_url: pin.siteUrl,
  site_name: pin.siteName,
  type: pin.type,
  slug: pin.slug,
  name: pin.name,
  version: pin.version,
  note: pin.note,
  installed_version: pin.installedVersion,
  is_within: pin.installedVersion === null ? null : isInPinRange(pin.version, pin.installedVersion),
  left_out_version: pin.leftOutVersion,
  auto_update: pin.autoUpdate.state,
  auto_update_error: pin.autoUpdate.error,
  auto_update_tried_at: toIso(pin.autoUpdate.triedAt),
  created_at: toIso(pin.createdAt),
  created_by: pin.createdBy,
  updated_at: toIso(pin.updatedAt),
});

export const pinOnSiteView = (pin: PinOnSite): Schemas['PinOnSite'] => ({
  site_id: pin.siteId,
  site_url: pin.siteUrl,
  site_name: pin.siteName,
  pin_id: pin.pinId,
  type: pin.type,
  slug: pin.slug,
  version: pin.version,
  auto_update: pin.autoUpdate,
});

export function pinRunView(run: PinRun, base: string, done: string): Schemas['PinsChangedOrQueued'] {
  const { sitesLeftOut: sites_left_out } = run;
  if (run.queued) return { ...queuedView(run, base), sites_left_out };
  const data = run.results.flatMap(({ pins }) => pins.map(pinOnSiteView));
  const errors = [...run.errors, ...run.results.flatMap((result) => result.errors)];
  return {
    success: 1,
    message: `${data.length} ${data.length === 1 ? 'site is' : 'sites are'} ${done}.`,
    data,
    errors,
    summary: { total_changed: data.length, total_errors: errors.length, sites_left_out },
  };
}

const AFTER_FREEING = {
  on: 'are on',
  off: 'are off',
  pending: 'may be on',
  unknown: 'may be on, because the site has confirmed no state',
} as const;

export const freedMessage = (autoUpdate: PinOnSite['autoUpdate']): string =>
  `The pin was freed. Automatic updates by the site ${AFTER_FREEING[autoUpdate]}.`;
