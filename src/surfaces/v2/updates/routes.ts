import type { Caller } from '../../../shared/caller.ts';
import { type SiteScope } from '../../../shared/site-scope.ts';
import type { SiteWithUrlKey } from '../../../domains/sites/index.ts';
import { checkedRings, type GuardName, type UpdatePage, type UpdateType } from '../../../domains/updates/index.ts';
import { CachedBodies } from '../../../http/cached-bodies.ts';
import type { RequiredServices } from '../../../service/services.ts';
import { throwFieldError } from '../../../shared/field-errors.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { dropEmptyFilters, parseList } from '../query-helpers.ts';
import { pageHeaders, pagingFields, pageRequestOf } from '../paging.ts';
import { ignoredRoutes } from './ignored-routes.ts';
import { availableUpdateView, updateSummaryView } from '../../update-views.ts';
import { bySiteView, fleetRunView, siteRunView, updatePlanView, updateTypesOf } from './view.ts';
import { requesterOf } from '../../../shared/requester.ts';

type TypeNames = Parameters<typeof updateTypesOf<UpdateType>>[0];

interface ListQuery {
  page: number;
  per_page: number;
  type?: TypeNames;
  search?: string;
  shape: 'list' | 'by_site';
  _fields?: string[];
}

interface ItemsBody {
  slug?: string | string[];
  only_vulnerable?: boolean;
  guard?: GuardName;
  force?: boolean;
}

interface UpdateSiteFilter {
  scope: SiteScope;
  siteIds?: number[];
  exceptSiteIds?: number[];
}

export const routes = (needs: RequiredServices<'updates'>, context: BaseAddress): HandlersOf<'updates'> => {
  const { siteUpdates, updateReadModel, fleetUpdates } = needs.updates;
  const { base } = context;
  const pages = new CachedBodies((page: UpdatePage) => updatePageBody(page));
  const pagesBySite = new CachedBodies((page: UpdatePage) => updatePageBody(page, { by_site: bySiteView(page) }));
  async function list(query: ListQuery, narrowed: UpdateSiteFilter, address: string) {
    if (query.shape === 'by_site' && query._fields)
      throwFieldError('_fields', 'must only be set together with shape=list');
    const filter = {
      types: updateTypesOf(query.type ?? []),
      ...narrowed,
      ...dropEmptyFilters({ search: query.search }),
    };
    const page = await updateReadModel.page(filter, pageRequestOf(query));
    return {
      status: 200 as const,
      body: query.shape === 'by_site' ? pagesBySite.of(page) : pages.of(page),
      headers: pageHeaders(page, address, { ...query }),
    };
  }

  async function run(site: SiteWithUrlKey, types: UpdateType[], body: ItemsBody | undefined, caller: Caller) {
    const { slug, only_vulnerable: onlyVulnerable = false, guard, force } = body ?? {};
    const slugs = parseList(slug);
    const complain = slugs.length > 0 && !onlyVulnerable ? 'missing' : 'never';
    const wanted = { types, slugs, complain, onlyVulnerable, guard, force } as const;
    const done = await siteUpdates.run(site, wanted, requesterOf(caller));
    return { status: 200 as const, body: siteRunView(done) };
  }

  return {
    ...ignoredRoutes(needs, context),
    updates_list: ({ query, caller }) => {
      const narrowed = {
        scope: caller.sites,
        ...dropEmptyFilters({ siteIds: query.include, exceptSiteIds: query.exclude }),
      };
      return list(query, narrowed, `${base}/updates`);
    },
    updates_plan: async ({ query, caller }) => {
      const { websites = [], include = [], exclude: except = [], slug: slugs = [], type = [], rings: names } = query;
      const wanted = {
        ...{ scope: caller.sites, sites: [...websites, ...include], except, slugs, types: updateTypesOf(type) },
        appliesMinimumAge: query.apply_minimum_age,
        ...{ onlyVulnerable: query.only_vulnerable, rings: checkedRings(names) },
        ...{ guard: query.guard, force: query.force },
      };
      const plan = await fleetUpdates.plan(wanted, pageRequestOf(query));
      const body = { success: 1 as const, ...updatePlanView(plan), ...pagingFields(plan) };
      return { status: 200, body, headers: pageHeaders(plan, `${base}/updates/plan`, { ...query }) };
    },
    updates_get: async ({ query, caller, site: { id } }) => {
      return list(query, { scope: caller.sites, siteIds: [id] }, `${base}/updates/${id}`);
    },
    updates_run: async ({ body = {}, caller }) => {
      const {
        type,
        include = [],
        websites = [],
        exclude = [],
        slug,
        rings: names,
        only_vulnerable: onlyVulnerable = false,
      } = body;
      const { stop_after_broken: stopAfterBroken, stop_after_failed: stopAfterFailed } = body;
      const types = updateTypesOf(parseList(type) as TypeNames);
      const rings = checkedRings(names, { stopAfterBroken, stopAfterFailed });
      const wanted = {
        scope: caller.sites,
        sites: [...include, ...websites],
        except: exclude,
        types,
        slugs: parseList(slug),
        requestedBy: requesterOf(caller),
        rings,
        onlyVulnerable,
        guard: body.guard,
        force: body.force,
        appliesMinimumAge: body.apply_minimum_age === true,
      };
      const done = await fleetUpdates.runOnce(wanted);
      return { status: 200, body: fleetRunView(done, base) };
    },
    updates_run_site: ({ body, caller, site }) => {
      const { type, ...rest } = body ?? {};
      return run(site, updateTypesOf(parseList(type) as TypeNames), rest, caller);
    },
    updates_run_core: ({ caller, site }) => run(site, ['core'], undefined, caller),
    updates_run_plugins: ({ body, caller, site }) => run(site, ['plugin'], body, caller),
    updates_run_themes: ({ body, caller, site }) => run(site, ['theme'], body, caller),
    updates_run_translations: ({ body, caller, site }) => run(site, ['translation'], body, caller),
  };
};

const updatePageBody = (page: UpdatePage, keyed: { by_site?: ReturnType<typeof bySiteView> } = {}) => ({
  success: 1 as const,
  data: page.items.map(availableUpdateView),
  ...keyed,
  summary: updateSummaryView(page.counts),
  ...pagingFields(page),
});
