import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { contentRoutes } from './content-routes.ts';
import { postEntryView, postView } from './view.ts';

const postRefOf = ({ path, site }: { path: { post_id: number }; site: { id: number } }) => ({
  siteId: site.id,
  id: path.post_id,
});

export const postRoutes = ({ content: { content } }: RequiredServices<'content'>) => {
  const routes = contentRoutes({ kind: 'post', content, entryView: postEntryView, view: postView });
  return {
    posts_list: ({ query, caller }) => routes.list(caller, query),
    posts_get: (call) => routes.get(postRefOf(call)),
    posts_create: ({ body, caller, site }) => routes.create(site.id, body, caller.name),
    posts_edit: (call) => routes.edit(postRefOf(call), call.body, call.caller.name),
    posts_update_status: (call) => routes.updateStatus(postRefOf(call), call.body.status, call.caller.name),
    posts_delete: (call) => routes.remove(postRefOf(call), call.query.force, call.caller.name),
  } satisfies Partial<HandlersOf<'content'>>;
};
