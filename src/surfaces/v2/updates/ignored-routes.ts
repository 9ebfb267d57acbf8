import type { IgnorableType } from '../../../domains/updates/index.ts';
import type { Needs } from '../../../services.ts';
import type { Door } from '../door.ts';
import type { HandlersOf } from '../handlers.ts';
import { given, listIn } from '../input.ts';
import { paged, pageRequestOf } from '../paging.ts';
import { ignoredView, rulesView, typesIn } from './view.ts';

/** Updates that are to be neither seen nor installed. */
export const ignored = (
  { sites: { references }, updates: { ignoredUpdates, ignoredUpdatesReadModel } }: Needs<'sites' | 'updates'>,
  { base }: Door,
) => {
  async function set(ref: string, type: IgnorableType, slugs: string[], ignored: boolean, actor: string) {
    const site = await references.one(ref);
    const rules = await ignoredUpdates.set(site, { type, slugs, ignored }, actor);
    return { status: 200 as const, body: rulesView(site, type, rules, ignored) };
  }

  return {
    updates_ignored: async ({ query }) => {
      const { type = [], search, include, exclude } = query;
      const filter = { types: typesIn(type), ...given({ search, siteIds: include, exceptSiteIds: exclude }) };
      const page = await ignoredUpdatesReadModel.page(filter, pageRequestOf(query));
      return paged(page, ignoredView, `${base}/updates/ignored`, query);
    },
    updates_ignored_site: async ({ path, query }) => {
      const { id } = await references.one(path.id_or_domain);
      const filter = { types: typesIn(query.type ?? []), siteIds: [id], ...given({ search: query.search }) };
      const page = await ignoredUpdatesReadModel.page(filter, pageRequestOf(query));
      return paged(page, ignoredView, `${base}/updates/${id}/ignored`, query);
    },
    updates_ignore_core: ({ path, caller }) => set(path.id_or_domain, 'core', [], true, caller.name),
    updates_unignore_core: ({ path, caller }) => set(path.id_or_domain, 'core', [], false, caller.name),
    updates_ignore_plugins: ({ path, body, caller }) =>
      set(path.id_or_domain, 'plugin', listIn(body?.slug), true, caller.name),
    updates_unignore_plugins: ({ path, query, caller }) =>
      set(path.id_or_domain, 'plugin', query.slug ?? [], false, caller.name),
    updates_ignore_themes: ({ path, body, caller }) =>
      set(path.id_or_domain, 'theme', listIn(body?.slug), true, caller.name),
    updates_unignore_themes: ({ path, query, caller }) =>
      set(path.id_or_domain, 'theme', query.slug ?? [], false, caller.name),
  } satisfies Partial<HandlersOf<'updates'>>;
};
