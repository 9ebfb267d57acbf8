import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { contentRoutes } from './content-routes.ts';
import { pageEntryView, pageView } from './view.ts';

const pageRefOf = ({ path, site }: { path: { page_id: number }; site: { id: number } }) => ({
  siteId: site.id,
  id: path.page_id,
});

export const pageRoutes = ({ content: { content } }: RequiredServices<'content'>) => {
  const routes = contentRoutes({ kind: 'page', content, entryView: pageEntryView, view: pageView });
  return {
    pages_list: ({ query, caller }) => routes.list(caller, query),
    pages_get: (call) => routes.get(pageRefOf(call)),
    pages_create: ({ body, caller, site }) => routes.create(site.id, body, caller.name),
    pages_edit: (call) => routes.edit(pageRefOf(call), call.body, call.caller.name),
    pages_update_status: (call) => routes.updateStatus(pageRefOf(call), call.body.status, call.caller.name),
    pages_delete: (call) => routes.remove(pageRefOf(call), call.query.force, call.caller.name),
  } satisfies Partial<HandlersOf<'content'>>;
};
