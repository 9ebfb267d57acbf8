import type { ItemError } from '../../shared/item-error.ts';
import { throwFieldError } from '../../shared/field-errors.ts';
import type { Requester } from '../../shared/requester.ts';
import { chunks, IDS_A_STATEMENT } from '../../db/chunks.ts';
import type { SelectedSites, SiteSelection, SiteSelector } from '../fleet-reads/index.ts';
import type { FinishedOrQueuedFleetRun, FleetRunner, FleetSite, StartedRun } from '../jobs/index.ts';
import type { PinReadModel } from './pin-read-model.ts';
import { checkedPinFields, missing, type PinnedItem, type PinOrder } from './pin-service.ts';
import type { PinJobResult, PinJobs } from './pin.jobs.ts';

export interface PinSelection extends SiteSelection {
  /** True selects every site of the scope. In this case, no sites, tags or clients may be named. */
  allSites: boolean;
}

export type PinRun = FinishedOrQueuedFleetRun<PinJobResult> & {
  /** Number of selected sites that were left out, because they lack the item or its pin. */
  sitesLeftOut: number;
};

export interface PinFleetDeps {
  selector: SiteSelector;
  pins: PinReadModel;
  runner: FleetRunner;
  jobs: PinJobs;
}

interface Targets extends SelectedSites {
  sitesLeftOut: number;
}

/**
 * Sets and removes pins, also on suspended and disconnected sites, because this service stores the pins. Only a switch
 * of automatic updates calls the site, and it fails on these sites.
 */
export class PinFleet {
  readonly #deps: PinFleetDeps;

  constructor(deps: PinFleetDeps) {
    this.#deps = deps;
  }

  async set(selection: PinSelection, item: PinnedItem, fields: PinOrder, requestedBy: Requester): Promise<PinRun> {
    const { jobs, runner } = this.#deps;
    const { sitesLeftOut, ...call } = await this.#settingCall(selection, item, fields, requestedBy);
    return { ...(await runner.run(jobs.pin, call)), sitesLeftOut };
  }

  /** Works like `set`, but does not wait. Returns null if no selected site has the item. */
  async start(
    selection: PinSelection,
    item: PinnedItem,
    fields: PinOrder,
    requestedBy: Requester,
  ): Promise<StartedRun | null> {
    const { jobs, runner } = this.#deps;
    const { sites, ...call } = await this.#settingCall(selection, item, fields, requestedBy);
    return sites.length === 0 ? null : { jobId: await runner.start(jobs.pin, { ...call, sites }), sites: sites.length };
  }

  async #settingCall(selection: PinSelection, item: PinnedItem, fields: PinOrder, requestedBy: Requester) {
    const input = { ...item, ...checkedPinFields(fields) };
    const targets = await this.#targets(selection, item, missing(item.type), (ids) =>
      this.#deps.pins.sitesWithItem(item, ids),
    );
    return { ...targets, input, requestedBy };
  }

  async free(
    selection: PinSelection,
    item: PinnedItem,
    { autoUpdate }: { autoUpdate: boolean },
    requestedBy: Requester,
  ): Promise<PinRun> {
    const { pins, jobs, runner } = this.#deps;
    const lacksPin = { code: 'svc_pin_not_found', message: 'The site has no pin for this item.' } as const;
    const { sitesLeftOut, ...targets } = await this.#targets(selection, item, lacksPin, (ids) =>
      pins.sitesWithPin(item, ids),
    );
    return {
      ...(await runner.run(jobs.unpin, { input: { ...item, autoUpdate }, ...targets, requestedBy })),
      sitesLeftOut,
    };
  }

  /**
   * Selects the sites that `fitting` accepts. Other sites become errors if the selection names sites, and are only
   * counted otherwise.
   */
  async #targets(
    { allSites, ...selection }: PinSelection,
    { type, slug }: PinnedItem,
    lacking: Pick<ItemError, 'code' | 'message'>,
    fitting: (siteIds: readonly number[]) => Promise<Set<number>>,
  ): Promise<Targets> {
    const named = (['sites', 'tags', 'clients'] as const).filter((field) => selection[field]?.length);
    if (allSites && named[0]) throwFieldError(named[0], 'must be empty if all_sites is true');
    if (!allSites && named.length === 0)
      throwFieldError('sites', 'must name at least one site if tags and clients are empty and all_sites is not true');
    const { sites, errors } = await this.#deps.selector.selectAny(selection);
    const fit = new Set<number>();
    for (const chunk of chunks(sites, IDS_A_STATEMENT))
      for (const id of await fitting(chunk.map(({ site }) => site.id))) fit.add(id);
    const chosen: FleetSite[] = [];
    let sitesLeftOut = 0;
    for (const each of sites) {
      const { identifier, site } = each;
      if (fit.has(site.id)) chosen.push(each);
      else if (selection.sites?.length)
        errors.push({ identifier, ...lacking, site_id: site.id, site_url: site.url, type, slug });
      else sitesLeftOut++;
    }
    return { sites: chosen as Targets['sites'], errors, sitesLeftOut };
  }
}
