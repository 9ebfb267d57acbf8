import type { operations } from '../../../generated/v2.ts';
import type { ContentService } from '../../domains/content/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { contentRoutes } from './content.ts';
import { pageEntryView, pageView } from './content.view.ts';

type Names = 'pages_list' | 'pages_get' | 'pages_create' | 'pages_edit' | 'pages_update_status' | 'pages_delete';

const place = (path: { id_or_domain: string; page_id: number }) => ({ site: path.id_or_domain, id: path.page_id });

/** Pages on the sites. */
export function pages(content: ContentService): SomeHandlers<operations, Names> {
  const routes = contentRoutes({ kind: 'page', content, entryView: pageEntryView, view: pageView });
  return {
    pages_list: ({ query }) => routes.list(query),
    pages_get: ({ path }) => routes.get(place(path)),
    pages_create: ({ path, body, caller }) => routes.create(path.id_or_domain, body, caller.name),
    pages_edit: ({ path, body, caller }) => routes.edit(place(path), body, caller.name),
    pages_update_status: ({ path, body, caller }) => routes.updateStatus(place(path), body.status, caller.name),
    pages_delete: ({ path, query, caller }) => routes.remove(place(path), query.force, caller.name),
  };
}
