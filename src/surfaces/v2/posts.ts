import type { operations } from '../../../generated/v2.ts';
import type { ContentService } from '../../domains/content/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { contentRoutes } from './content.ts';
import { postEntryView, postView } from './content.view.ts';

type Names = 'posts_list' | 'posts_get' | 'posts_create' | 'posts_edit' | 'posts_update_status' | 'posts_delete';

const place = (path: { id_or_domain: string; post_id: number }) => ({ site: path.id_or_domain, id: path.post_id });

/** Posts on the sites, and records of other types that people write. */
export function posts(content: ContentService): SomeHandlers<operations, Names> {
  const routes = contentRoutes({ kind: 'post', content, entryView: postEntryView, view: postView });
  return {
    posts_list: ({ query }) => routes.list(query),
    posts_get: ({ path }) => routes.get(place(path)),
    posts_create: ({ path, body, caller }) => routes.create(path.id_or_domain, body, caller.name),
    posts_edit: ({ path, body, caller }) => routes.edit(place(path), body, caller.name),
    posts_update_status: ({ path, body, caller }) => routes.updateStatus(place(path), body.status, caller.name),
    posts_delete: ({ path, query, caller }) => routes.remove(place(path), query.force, caller.name),
  };
}
