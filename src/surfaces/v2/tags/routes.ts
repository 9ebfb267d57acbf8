import type { TagDetail } from '../../../domains/tags/index.ts';
import { etagOf, precondition } from '../../../http/etags.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { dropEmptyFilters, listOrderOf } from '../query-helpers.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';
import { siteBriefView } from '../sites/view.ts';
import { tagClientView, tagView } from './view.ts';

const tagResponse = (message: string, tag: TagDetail) => {
  const data = tagView(tag);
  return { status: 200 as const, etag: etagOf(data), body: { success: 1 as const, message, data } };
};

export const routes = (
  { tags: { tags }, clients: { clients }, sites: { list } }: RequiredServices<'tags' | 'clients' | 'sites'>,
  { base }: BaseAddress,
): HandlersOf<'tags'> => ({
  tags_list: async ({ query, caller }) => {
    const { search, include, exclude, full_data } = query;
    const filter = dropEmptyFilters({ search, include, exclude });
    const [request, order] = [pageRequestOf(query), listOrderOf(query)];
    const page = await (full_data
      ? tags.listDetailed(caller.sites, filter, request, order)
      : tags.list(caller.sites, filter, request, order));
    return pageResponse(page, tagView, `${base}/tags`, query);
  },
  tags_add: async ({ body, caller }) => tagResponse('The tag was added.', await tags.create(body, caller.name)),
  tags_get: async ({ path, caller }) => {
    const data = tagView(await tags.get(caller.sites, path.tag_id));
    return { status: 200, etag: etagOf(data), body: { success: 1, data } };
  },
  tags_edit: async ({ path, body, caller, ifMatch }) =>
    tagResponse(
      'The tag was saved.',
      await tags.update(caller.sites, path.tag_id, body, caller.name, precondition(ifMatch, tagView)),
    ),
  tags_remove: async ({ path, caller, ifMatch }) =>
    tagResponse(
      'The tag was removed.',
      await tags.delete(caller.sites, path.tag_id, caller.name, precondition(ifMatch, tagView)),
    ),
  tags_sites: async ({ path, query, caller }) => {
    await tags.name(caller.sites, path.tag_id);
    const page = await list.page(caller.sites, { tagIds: [path.tag_id] }, pageRequestOf(query));
    return pageResponse(page, siteBriefView, `${base}/tags/${path.tag_id}/sites`, query);
  },
  tags_clients: async ({ path, query, caller }) => {
    await tags.name(caller.sites, path.tag_id);
    const page = await clients.withTag(caller.sites, path.tag_id, pageRequestOf(query));
    return pageResponse(page, tagClientView, `${base}/tags/${path.tag_id}/clients`, query);
  },
});
