import type { operations } from '../../../generated/v2.ts';
import type { SiteReferences } from '../../domains/sites/index.ts';
import type { IgnorableType, IgnoredUpdates, IgnoredUpdatesReadModel } from '../../domains/updates/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { given, listIn } from './input.ts';
import { paged, pageRequestOf } from './paging.ts';
import { ignoredView, rulesView, typesIn } from './updates.view.ts';

type Names =
  | 'updates_ignored'
  | 'updates_ignored_site'
  | 'updates_ignore_core'
  | 'updates_ignore_plugins'
  | 'updates_ignore_themes'
  | 'updates_unignore_core'
  | 'updates_unignore_plugins'
  | 'updates_unignore_themes';

export interface IgnoredUpdatesParts {
  base: string;
  references: SiteReferences;
  ignoredUpdates: IgnoredUpdates;
  ignoredUpdatesReadModel: IgnoredUpdatesReadModel;
}

/** Updates that are to be neither seen nor installed. */
export const ignoredUpdates = (parts: IgnoredUpdatesParts): SomeHandlers<operations, Names> => {
  const { base, references, ignoredUpdates, ignoredUpdatesReadModel } = parts;

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
  };
};
