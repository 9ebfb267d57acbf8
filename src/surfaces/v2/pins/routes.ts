import { autoUpdateAfterFreeing, type ListedPin } from '../../../domains/pins/index.ts';
import { etagOf, precondition } from '../../../http/etags.ts';
import type { RequiredServices } from '../../../service/services.ts';
import { requesterOf } from '../../../shared/requester.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { pageRequestOf, pageResponse } from '../paging.ts';
import { dropEmptyFilters } from '../query-helpers.ts';
import { SELECTION_FIELD_NAMES, siteSelectionOf } from '../site-selection.ts';
import { freedMessage, pinRunView, pinView } from './view.ts';

export const fieldNames = SELECTION_FIELD_NAMES;

const pinResponse = (message: string, pin: ListedPin) => {
  const data = pinView(pin);
  return { status: 200 as const, etag: etagOf(data), body: { success: 1 as const, message, data } };
};

export const routes = (
  { pins: { pins, pinReadModel, pinFleet } }: RequiredServices<'pins'>,
  { base }: BaseAddress,
): HandlersOf<'pins'> => ({
  pins_list: async ({ query, caller }) => {
    const { type, slug, auto_update: autoUpdate, search, include, exclude } = query;
    const filter = {
      scope: caller.sites,
      ...dropEmptyFilters({ type, slug, autoUpdate, search, siteIds: include, exceptSiteIds: exclude }),
    };
    return pageResponse(await pinReadModel.page(filter, pageRequestOf(query)), pinView, `${base}/pins`, query);
  },
  pins_set: async ({ body, caller }) => {
    const { type, slug, version, note, all_sites: allSites } = body;
    const selection = { ...siteSelectionOf(caller.sites, body), allSites };
    const run = await pinFleet.set(selection, { type, slug }, { version, note }, requesterOf(caller));
    return { status: 200, body: pinRunView(run, base, 'pinned') };
  },
  pins_free: async ({ query, caller }) => {
    const { type, slug, all_sites: allSites, auto_update: autoUpdate } = query;
    const selection = { ...siteSelectionOf(caller.sites, query), allSites };
    const run = await pinFleet.free(selection, { type, slug }, { autoUpdate }, requesterOf(caller));
    return { status: 200, body: pinRunView(run, base, 'no longer pinned') };
  },
  pins_get: async ({ path, caller }) => {
    const data = pinView(await pinReadModel.get(caller.sites, path.pin_id));
    return { status: 200, etag: etagOf(data), body: { success: 1, data } };
  },
  pins_edit: async ({ path, body, caller, ifMatch }) =>
    pinResponse(
      'The pin was saved.',
      await pins.edit(caller.sites, path.pin_id, body, caller.name, precondition(ifMatch, pinView)),
    ),
  pins_delete: async ({ path, query, caller, ifMatch }) => {
    const { auto_update: autoUpdate } = query;
    const context = { actor: caller.name };
    const pin = await pins.free(caller.sites, path.pin_id, { autoUpdate }, context, precondition(ifMatch, pinView));
    const after = autoUpdateAfterFreeing(pin, autoUpdate);
    const response = pinResponse(freedMessage(after), pin);
    return { ...response, body: { ...response.body, auto_update: after } };
  },
});
