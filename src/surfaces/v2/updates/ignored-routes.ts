import type { KeyedSite } from '../../../domains/sites/index.ts';
import type { IgnorableType } from '../../../domains/updates/index.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { Door } from '../door.ts';
import type { HandlersOf } from '../handlers.ts';
import { presentFields, listIn } from '../input.ts';
import { paged, pageRequestOf } from '../paging.ts';
import { ignoredView } from '../../update-words.ts';
import { rulesView, typesIn } from './view.ts';

/** Routes for ignored updates, which are neither listed nor installed. */
export const ignored = (
  { updates: { ignoredUpdates, ignoredUpdatesReadModel } }: RequiredServices<'updates'>,
  { base }: Door,
) => {
  async function set(site: KeyedSite, type: IgnorableType, slugs: string[], ignored: boolean, actor: string) {
    const rules = await ignoredUpdates.set(site, { type, slugs, ignored }, actor);
    return { status: 200 as const, body: rulesView(site, type, rules, ignored) };
  }

  return {
    updates_ignored: async ({ query }) => {
      const { type = [], search, include, exclude } = query;
      const filter = { types: typesIn(type), ...presentFields({ search, siteIds: include, exceptSiteIds: exclude }) };
      const page = await ignoredUpdatesReadModel.page(filter, pageRequestOf(query));
      return paged(page, ignoredView, `${base}/updates/ignored`, query);
    },
    updates_ignored_site: async ({ query, site: { id } }) => {
      const filter = { types: typesIn(query.type ?? []), siteIds: [id], ...presentFields({ search: query.search }) };
      const page = await ignoredUpdatesReadModel.page(filter, pageRequestOf(query));
      return paged(page, ignoredView, `${base}/updates/${id}/ignored`, query);
    },
    updates_ignore_core: ({ caller, site }) => set(site, 'core', [], true, caller.name),
    updates_unignore_core: ({ caller, site }) => set(site, 'core', [], false, caller.name),
    updates_ignore_plugins: ({ body, caller, site }) => set(site, 'plugin', listIn(body?.slug), true, caller.name),
    updates_unignore_plugins: ({ query, caller, site }) => set(site, 'plugin', query.slug ?? [], false, caller.name),
    updates_ignore_themes: ({ body, caller, site }) => set(site, 'theme', listIn(body?.slug), true, caller.name),
    updates_unignore_themes: ({ query, caller, site }) => set(site, 'theme', query.slug ?? [], false, caller.name),
  } satisfies Partial<HandlersOf<'updates'>>;
};
