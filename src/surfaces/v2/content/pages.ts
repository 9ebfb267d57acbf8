import type { Needs } from '../../../services.ts';
import type { HandlersOf } from '../handlers.ts';
import { contentRoutes } from './kind-routes.ts';
import { pageEntryView, pageView } from './view.ts';

const place = (path: { id_or_domain: string; page_id: number }) => ({ site: path.id_or_domain, id: path.page_id });

/** Pages on the sites. */
export const pages = ({ content: { content } }: Needs<'content'>) => {
  const routes = contentRoutes({ kind: 'page', content, entryView: pageEntryView, view: pageView });
  return {
    pages_list: ({ query }) => routes.list(query),
    pages_get: ({ path }) => routes.get(place(path)),
    pages_create: ({ path, body, caller }) => routes.create(path.id_or_domain, body, caller.name),
    pages_edit: ({ path, body, caller }) => routes.edit(place(path), body, caller.name),
    pages_update_status: ({ path, body, caller }) => routes.updateStatus(place(path), body.status, caller.name),
    pages_delete: ({ path, query, caller }) => routes.remove(place(path), query.force, caller.name),
  } satisfies Partial<HandlersOf<'content'>>;
};
