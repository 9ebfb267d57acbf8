import type { TagPatch } from '../../../domains/tags/index.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { siteWithStatusView, taggedClientView } from '../clients/view.ts';
import { addedTagView, deleteTagPreviewView, tagDetailView, tagView } from './view.ts';

const toTagPatch = ({ name, color }: { name?: string; color?: string | null }): TagPatch => ({
  ...(name === undefined ? {} : { name }),
  ...(color === undefined ? {} : { color }),
});

export const routes = ({
  tags: { tags },
  clients: { clients },
  sites: { list },
}: RequiredServices<'tags' | 'clients' | 'sites'>): HandlersOf<'tags'> => ({
  'list-tags-v1': async ({ page, per_page, search, include, exclude }, { caller }) => {
    const filter = { search, include, exclude };
    const { items, total } = await tags.list(caller.sites, filter, { page, perPage: per_page });
    return { items: items.map(tagView), page, per_page, total };
  },
  'get-tag-v1': async ({ tag_id }, { caller }) => tagDetailView(await tags.get(caller.sites, tag_id)),
  'add-tag-v1': async ({ name, color }, { caller }) =>
    addedTagView(await tags.create({ name, color: color ?? null }, caller.name)),
  'update-tag-v1': async (input, { caller }) =>
    tagDetailView(await tags.update(caller.sites, input.tag_id, toTagPatch(input), caller.name)),
  'delete-tag-v1': async (input, { caller }) => {
    if (input.dry_run) {
      const { tag, effects } = await tags.previewDelete(caller, input.tag_id);
      return deleteTagPreviewView(tag, { ...effects, clients: await clients.countWithTag(caller.sites, tag.id) });
    }
    const { name } = await tags.delete(caller.sites, input.tag_id, caller.name);
    return { deleted: true, tag_id: input.tag_id, tag_name: name };
  },
  'get-tag-sites-v1': async ({ tag_id, page, per_page }, { caller }) => {
    const name = await tags.name(caller.sites, tag_id);
    const { items, total } = await list.page(caller.sites, { tagIds: [tag_id] }, { page, perPage: per_page });
    return { tag_id, tag_name: name, sites: items.map(siteWithStatusView), page, per_page, total };
  },
  'get-tag-clients-v1': async ({ tag_id, page, per_page }, { caller }) => {
    const name = await tags.name(caller.sites, tag_id);
    const { items, total } = await clients.withTag(caller.sites, tag_id, { page, perPage: per_page });
    return { tag_id, tag_name: name, clients: items.map(taggedClientView), page, per_page, total };
  },
});
