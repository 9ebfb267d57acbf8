import {
  createUnvalidatedParser,
  defineJobKind,
  noInput,
  plainInput,
  resultWithErrors,
  type JobKind,
  type LeasedItem,
  type NoInput,
} from '../../queue/index.ts';
import type { Lease } from '../../db/lease.ts';
import { NotFoundError, siteDeletedError } from '../../shared/errors.ts';
import type { ItemError } from '../../shared/item-error.ts';
import { ALL_SITES } from '../../shared/site-scope.ts';
import type { Knex } from 'knex';
import { SiteRepository, type SiteWithUrlKey } from '../sites/index.ts';
import { VersionPinRepository, type PinnableType, type VersionPin } from '../updates/index.ts';
import type { SwitchContext } from './auto-update-switch.ts';
import type { ListedPin } from './pin-read-model.ts';
import type { PinnedItem, PinOrder, PinService } from './pin-service.ts';

export type PinInput = PinnedItem & PinOrder;
export type UnpinInput = PinnedItem & { autoUpdate: boolean };

/** Whether the site updates the item by itself. `pending`: `off` is not confirmed yet. `unknown`: no known state. */
export type AutoUpdateAfter = 'on' | 'off' | 'pending' | 'unknown';

export interface PinOnSite {
  siteId: number;
  siteUrl: string;
  siteName: string;
  pinId: number;
  type: PinnableType;
  slug: string;
  version: string;
  autoUpdate: AutoUpdateAfter;
}

export interface PinJobResult {
  pins: PinOnSite[];
  errors: ItemError[];
}

export const parsePinJobResult = createUnvalidatedParser<PinJobResult>();

export interface PinJobs {
  pin: JobKind<PinInput, PinJobResult>;
  unpin: JobKind<UnpinInput, PinJobResult>;
  switchOff: JobKind<NoInput, PinJobResult>;
}

/**
 * Creates the job kinds of pins. All of them can run again after an interruption: setting a pin and switching the
 * automatic update can be repeated without another effect, and a pin that an earlier attempt removed stays removed.
 */
export function pinJobs({ knex, clock, pins }: { knex: Knex; clock: { now(): number }; pins: PinService }): PinJobs {
  const ofSite = { about: 'site', result: parsePinJobResult, whenCancelled: 'finish' } as const;
  const contextOf = (item: LeasedItem, lease: Lease): SwitchContext => ({
    actor: item.requestedBy,
    oneOfMany: !item.isOnlyItem,
    lease,
  });
  const siteOf = async (siteId: number): Promise<SiteWithUrlKey> => {
    const site = await new SiteRepository(knex, clock.now()).findKeyed(siteId);
    if (!site) throw siteDeletedError();
    return site;
  };
  const switchOffOn = async (site: SiteWithUrlKey, pin: VersionPin, context: SwitchContext) => {
    const error = await pins.switchOff(pin, context);
    return { pin: pinOnSite(site, pin, error ? 'pending' : 'off'), error };
  };

  return {
    pin: defineJobKind({
      ...ofSite,
      name: 'pin',
      retryPermission: 'updates:write',
      input: plainInput<PinInput>(),
      perform: async ({ subject, input: { type, slug, ...fields }, item, lease }) => {
        const site = await siteOf(subject);
        const stored = await pins.set(subject, { type, slug }, fields, item.requestedBy, lease);
        const { pin, error } = await switchOffOn(site, stored, contextOf(item, lease));
        return toItemResult(site, item, [pin], error ? [error] : []);
      },
    }),
    unpin: defineJobKind({
      ...ofSite,
      name: 'unpin',
      retryPermission: 'updates:write',
      input: plainInput<UnpinInput>(),
      perform: async ({ subject, input: { type, slug, autoUpdate }, item, lease, resumed }) => {
        const site = await siteOf(subject);
        const stored = await new VersionPinRepository(knex).find(subject, type, slug);
        if (!stored) {
          if (resumed) return toItemResult(site, item, [], []);
          throw new NotFoundError('svc_pin_not_found', 'The site has no pin for this item.');
        }
        const pin = await pins.free(ALL_SITES, stored.id, { autoUpdate }, contextOf(item, lease));
        return toItemResult(site, item, [pinOnSite(site, pin, autoUpdateAfterFreeing(pin, autoUpdate))], []);
      },
    }),
    switchOff: defineJobKind({
      ...ofSite,
      name: 'pin-auto-updates',
      retryPermission: null,
      input: noInput,
      perform: async ({ subject, item, lease }) => {
        const site = await siteOf(subject);
        const tried: Awaited<ReturnType<typeof switchOffOn>>[] = [];
        for (const pin of await new VersionPinRepository(knex).pendingOf(subject))
          tried.push(await switchOffOn(site, pin, contextOf(item, lease)));
        const done = tried.filter(({ error }) => !error).map(({ pin }) => pin);
        const errors = tried.flatMap(({ error }) => error ?? []);
        return toItemResult(site, item, done, errors);
      },
    }),
  };
}

/** `wanted` is true if the caller asked for automatic updates. They need an item that is installed. */
export function autoUpdateAfterFreeing({ autoUpdate, installedVersion }: ListedPin, wanted: boolean): AutoUpdateAfter {
  if (wanted) return installedVersion === null ? 'unknown' : 'on';
  return autoUpdate.state === 'off' ? 'off' : 'unknown';
}

const pinOnSite = (site: SiteWithUrlKey, pin: VersionPin, autoUpdate: AutoUpdateAfter): PinOnSite => ({
  siteId: site.id,
  siteUrl: site.url,
  siteName: site.name,
  pinId: pin.id,
  type: pin.type,
  slug: pin.slug,
  version: pin.version,
  autoUpdate,
});

/** The identifier of an error is the name that the caller used for the site. */
function toItemResult(site: SiteWithUrlKey, { identifier }: LeasedItem, pins: PinOnSite[], errors: ItemError[]) {
  const placed = errors.map((error) => ({ ...error, identifier, site_url: site.url }));
  return resultWithErrors<PinJobResult>({ pins, errors: placed }, pins.length, placed);
}
