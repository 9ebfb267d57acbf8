import type { operations } from '../../../generated/v2.ts';
import type { ClientService } from '../../domains/clients/index.ts';
import type { SiteList } from '../../domains/sites/index.ts';
import type { TagDetail, TagService } from '../../domains/tags/index.ts';
import { etagOf, precondition } from '../../http/etags.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { given, refusedIn } from './input.ts';
import { paged, pageRequestOf } from './paging.ts';
import { siteBriefView } from './sites.view.ts';
import { tagClientView, tagView } from './tags.view.ts';

type Names = 'tags_list' | 'tags_add' | 'tags_get' | 'tags_edit' | 'tags_remove' | 'tags_sites' | 'tags_clients';

export interface TagsParts {
  base: string;
  tags: TagService;
  clients: ClientService;
  list: SiteList;
}

const refused = refusedIn('body');

const written = (message: string, tag: TagDetail) => {
  const data = tagView(tag);
  return { status: 200 as const, etag: etagOf(data), body: { success: 1 as const, message, data } };
};

/** Tags, and what carries them. */
export const tags = ({ base, tags, clients, list }: TagsParts): SomeHandlers<operations, Names> => ({
  tags_list: async ({ query }) => {
    const { search, include, exclude, full_data } = query;
    const filter = given({ search, include, exclude });
    const request = pageRequestOf(query);
    const page = await (full_data ? tags.listDetailed(filter, request) : tags.list(filter, request));
    return paged(page, tagView, `${base}/tags`, query);
  },
  tags_add: async ({ body, caller }) =>
    written('The tag was added.', await tags.create(body, caller.name).catch(refused)),
  tags_get: async ({ path }) => {
    const data = tagView(await tags.get(path.tag_id));
    return { status: 200, etag: etagOf(data), body: { success: 1, data } };
  },
  tags_edit: async ({ path, body, caller, ifMatch }) =>
    written(
      'The tag was saved.',
      await tags.update(path.tag_id, body, caller.name, precondition(ifMatch, tagView)).catch(refused),
    ),
  tags_remove: async ({ path, caller, ifMatch }) =>
    written('The tag was removed.', await tags.delete(path.tag_id, caller.name, precondition(ifMatch, tagView))),
  tags_sites: async ({ path, query }) => {
    await tags.name(path.tag_id);
    const page = await list.page({ tagIds: [path.tag_id] }, pageRequestOf(query));
    return paged(page, siteBriefView, `${base}/tags/${path.tag_id}/sites`, query);
  },
  tags_clients: async ({ path, query }) => {
    await tags.name(path.tag_id);
    const page = await clients.withTag(path.tag_id, pageRequestOf(query));
    return paged(page, tagClientView, `${base}/tags/${path.tag_id}/clients`, query);
  },
});
