import type { KeyedSite } from '../../../domains/sites/index.ts';
import { ringsOf, type UpdateType } from '../../../domains/updates/index.ts';
import type { RequiredServices } from '../../../service/services.ts';
import { throwFieldError } from '../../../shared/field-errors.ts';
import type { Door } from '../door.ts';
import type { HandlersOf } from '../handlers.ts';
import { presentFields, listIn } from '../input.ts';
import { pageHeaders, pageNumbers, pageRequestOf } from '../paging.ts';
import { ignored } from './ignored-routes.ts';
import { listedView, summaryView } from '../../update-words.ts';
import { bySiteView, fleetRunView, siteRunView, typesIn } from './view.ts';

type TypeNames = Parameters<typeof typesIn<UpdateType>>[0];

interface ListQuery {
  page: number;
  per_page: number;
  type?: TypeNames;
  search?: string;
  shape: 'list' | 'by_site';
  _fields?: string[];
}

/** Filters for the updates of a site, in addition to the types. */
interface ItemsBody {
  slug?: string | string[];
  only_vulnerable?: boolean;
}

interface Narrowed {
  siteIds?: number[];
  exceptSiteIds?: number[];
}

export const routes = (needs: RequiredServices<'updates'>, door: Door): HandlersOf<'updates'> => {
  const { updater, updateReadModel, fleetUpdates } = needs.updates;
  const { base } = door;
  async function list(query: ListQuery, narrowed: Narrowed, address: string) {
    if (query.shape === 'by_site' && query._fields) throwFieldError('_fields', 'goes with shape=list alone');
    const filter = { types: typesIn(query.type ?? []), ...narrowed, ...presentFields({ search: query.search }) };
    const page = await updateReadModel.page(filter, pageRequestOf(query));
    const data = page.items.map(listedView);
    const keyed = query.shape === 'by_site' ? { by_site: bySiteView(page) } : {};
    return {
      status: 200 as const,
      body: { success: 1 as const, data, ...keyed, summary: summaryView(page.counts), ...pageNumbers(page) },
      headers: pageHeaders(page, address, { ...query }),
    };
  }

  async function run({ id }: KeyedSite, types: UpdateType[], body: ItemsBody | undefined, actor: string) {
    const { slug, only_vulnerable: onlyVulnerable = false } = body ?? {};
    const slugs = listIn(slug);
    const complain = slugs.length > 0 && !onlyVulnerable ? 'missing' : 'never';
    const done = await updater.run(id, { types, slugs, complain, onlyVulnerable }, actor);
    return { status: 200 as const, body: siteRunView(done) };
  }

  return {
    ...ignored(needs, door),
    updates_list: ({ query }) => {
      const narrowed = presentFields({ siteIds: query.include, exceptSiteIds: query.exclude });
      return list(query, narrowed, `${base}/updates`);
    },
    updates_get: async ({ query, site: { id } }) => {
      return list(query, { siteIds: [id] }, `${base}/updates/${id}`);
    },
    updates_run: async ({ body = {}, caller }) => {
      const { type, include = [], exclude = [], rings: names, stop_after_broken: stopAfterBroken } = body;
      const { only_vulnerable: onlyVulnerable = false } = body;
      const types = typesIn(listIn(type) as TypeNames);
      const rings = ringsOf(names, stopAfterBroken);
      const wanted = { sites: include, except: exclude, types, slugs: [], actor: caller.name, rings, onlyVulnerable };
      const done = await fleetUpdates.runOnce(wanted);
      return { status: 200, body: fleetRunView(done, base) };
    },
    updates_run_site: ({ body, caller, site }) => {
      const { type, ...rest } = body ?? {};
      return run(site, typesIn(listIn(type) as TypeNames), rest, caller.name);
    },
    updates_run_core: ({ caller, site }) => run(site, ['core'], undefined, caller.name),
    updates_run_plugins: ({ body, caller, site }) => run(site, ['plugin'], body, caller.name),
    updates_run_themes: ({ body, caller, site }) => run(site, ['theme'], body, caller.name),
    updates_run_translations: ({ body, caller, site }) => run(site, ['translation'], body, caller.name),
  };
};
