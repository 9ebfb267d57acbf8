import type { components } from '../../../../generated/abilities.ts';
import { checkedRings, type UpdatePage, type UpdateRings } from '../../../domains/updates/index.ts';
import { CachedBodies } from '../../../http/cached-bodies.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { SurfaceContext } from '../surface-context.ts';
import type { HandlersOf } from '../handlers.ts';
import { queuedView } from '../jobs/view.ts';
import { ignoredRoutes } from './ignored-routes.ts';
import { resolveUpdateSiteFilter } from './input.ts';
import {
  coreUpdateView,
  fleetUpdateCountsView,
  fleetRunView,
  siteRunView,
  siteUpdatesView,
  translationsUpdateView,
  updateTypesOf,
  updatePageView,
} from './view.ts';
import { requesterOf } from '../../../shared/requester.ts';

type RingsInput = Pick<components['schemas']['UpdateAllInput'], 'rings' | 'stop_after_broken' | 'stop_after_failed'>;

const ringsOfInput = (input: RingsInput): UpdateRings | undefined =>
  checkedRings(input.rings, { stopAfterBroken: input.stop_after_broken, stopAfterFailed: input.stop_after_failed });

export const routes = (
  needs: RequiredServices<'sites' | 'updates'>,
  context: SurfaceContext,
): HandlersOf<'updates'> => {
  const { references } = needs.sites;
  const { updater, siteUpdates, updateReadModel, fleetUpdates } = needs.updates;
  const { links } = context;
  const pages = new CachedBodies((page: UpdatePage) => updatePageView(page, []));
  return {
    ...ignoredRoutes(needs),
    'list-updates-v1': async (input, { caller }) => {
      const { filter, errors } = await resolveUpdateSiteFilter(caller.sites, references, input.site_ids_or_domains);
      const request = { page: input.page, perPage: input.per_page };
      const page = await updateReadModel.page({ types: updateTypesOf(input.types), ...filter }, request);
      return errors.length === 0 ? pages.of(page) : updatePageView(page, errors);
    },
    'get-site-updates-v1': async (input, { site }) => {
      return siteUpdatesView(site, await updateReadModel.ofSite(site.id, updateTypesOf(input.types)));
    },
    'run-updates-v1': async (input, { caller }) => {
      const { site_ids_or_domains: sites, types, specific_items: slugs, only_vulnerable: onlyVulnerable } = input;
      const wanted = {
        scope: caller.sites,
        sites,
        types: updateTypesOf(types),
        slugs,
        onlyVulnerable,
        requestedBy: requesterOf(caller),
        rings: ringsOfInput(input),
        guard: input.guard,
        force: input.force,
      };
      const result = await fleetUpdates.run(wanted);
      return result.queued ? queuedView(result, links) : fleetRunView(result);
    },
    'update-all-v1': async (input, { caller }) => {
      const { site_ids_or_domains: sites, types } = input;
      const wanted = {
        scope: caller.sites,
        sites,
        types: updateTypesOf(types),
        slugs: [],
        requestedBy: requesterOf(caller),
        rings: ringsOfInput(input),
        guard: input.guard,
        force: input.force,
      };
      const result = await fleetUpdates.run(wanted);
      return result.queued ? queuedView(result, links) : fleetUpdateCountsView(result);
    },
    'update-site-core-v1': async (_input, { caller, site: { id } }) => {
      return coreUpdateView(await updater.core(id, caller.name));
    },
    'update-site-plugins-v1': async ({ slugs, guard, force }, { caller, site }) => {
      const wanted = { types: ['plugin'], slugs, complain: 'missing', guard, force } as const;
      return siteRunView(await siteUpdates.run(site, wanted, requesterOf(caller)));
    },
    'update-site-themes-v1': async ({ slugs, guard, force }, { caller, site }) => {
      const wanted = { types: ['theme'], slugs, complain: 'missing', guard, force } as const;
      return siteRunView(await siteUpdates.run(site, wanted, requesterOf(caller)));
    },
    'update-site-translations-v1': async (_input, { caller, site: { id } }) => {
      return translationsUpdateView(
        await updater.run(id, { types: ['translation'], slugs: [], complain: 'never' }, caller.name),
      );
    },
  };
};
