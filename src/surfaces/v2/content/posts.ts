import type { Needs } from '../../../services.ts';
import type { HandlersOf } from '../handlers.ts';
import { contentRoutes } from './kind-routes.ts';
import { postEntryView, postView } from './view.ts';

const place = (path: { id_or_domain: string; post_id: number }) => ({ site: path.id_or_domain, id: path.post_id });

/** Posts on the sites, and records of other types that people write. */
export const posts = ({ content: { content } }: Needs<'content'>) => {
  const routes = contentRoutes({ kind: 'post', content, entryView: postEntryView, view: postView });
  return {
    posts_list: ({ query }) => routes.list(query),
    posts_get: ({ path }) => routes.get(place(path)),
    posts_create: ({ path, body, caller }) => routes.create(path.id_or_domain, body, caller.name),
    posts_edit: ({ path, body, caller }) => routes.edit(place(path), body, caller.name),
    posts_update_status: ({ path, body, caller }) => routes.updateStatus(place(path), body.status, caller.name),
    posts_delete: ({ path, query, caller }) => routes.remove(place(path), query.force, caller.name),
  } satisfies Partial<HandlersOf<'content'>>;
};
