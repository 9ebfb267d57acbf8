import type { components } from '../../../../generated/v2.ts';
import type {
  ContentDetail,
  ContentEntry,
  ContentKind,
  ContentRef,
  ContentService,
} from '../../../domains/content/index.ts';
import { STATUS_ACTIONS, contentFilterOf, contentPatchOf, newContentOf } from './input.ts';
import { createdView, contentStatusView } from './view.ts';
import { streamBySite } from '../stream-by-site.ts';
import { siteSelectionOf } from '../site-selection.ts';
import type { Caller } from '../../../shared/caller.ts';

type Schemas = components['schemas'];
type ListQuery = Parameters<typeof contentFilterOf>[0] & Partial<Record<'websites' | 'groups' | 'clients', string[]>>;

export interface ContentRouteOptions<Entry, Record> {
  kind: ContentKind;
  content: ContentService;
  entryView: (site: { id: number }, entry: ContentEntry) => Entry;
  view: (detail: ContentDetail) => Record;
}

export const contentRoutes = <E, R>({ kind, content, entryView, view }: ContentRouteOptions<E, R>) => ({
  list: async ({ sites, wait }: Caller, { websites, groups, clients, ...query }: ListQuery) => {
    const selection = siteSelectionOf(sites, { websites, groups, clients });
    const { selected, outcomes } = await content.list(kind, selection, contentFilterOf(query), wait);
    const answer = streamBySite(selected, outcomes, (entries, site) => entries.map((entry) => entryView(site, entry)));
    return { status: 200 as const, ...answer };
  },
  get: async (place: Omit<ContentRef, 'kind'>) => ({
    status: 200 as const,
    body: { success: 1 as const, data: view(await content.get({ kind, ...place })) },
  }),
  create: async (siteId: number, body: Schemas['PostCreate'] | Schemas['SitePageCreate'], actor: string) => ({
    status: 200 as const,
    body: createdView(kind, await content.create(kind, siteId, newContentOf(body), actor)),
  }),
  edit: async (place: Omit<ContentRef, 'kind'>, body: Schemas['PostEdit'] | Schemas['SitePageEdit'], actor: string) => {
    const { detail, warnings } = await content.edit({ kind, ...place }, contentPatchOf(body), actor);
    const message = `The ${kind} was saved.`;
    return {
      status: 200 as const,
      body: { success: 1 as const, message, data: view(detail), ...(warnings.length > 0 && { warnings }) },
    };
  },
  updateStatus: async (place: Omit<ContentRef, 'kind'>, status: Schemas['ContentStatusActionInput'], actor: string) => {
    const after = await content.changeStatus({ kind, ...place }, STATUS_ACTIONS[status], actor);
    return { status: 200 as const, body: contentStatusView('The status was changed.', place.id, after) };
  },
  remove: async (place: Omit<ContentRef, 'kind'>, force: boolean, actor: string) => {
    const after = await content.changeStatus({ kind, ...place }, force ? 'delete' : 'trash', actor);
    const message = after === null ? `The ${kind} was deleted.` : `The ${kind} was put into the trash.`;
    return { status: 200 as const, body: contentStatusView(message, place.id, after) };
  },
});
