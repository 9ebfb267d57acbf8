import { etagOf, precondition } from '../../../http/etags.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { moduleView } from './view.ts';

export const routes = ({ modules: { modules: service } }: RequiredServices<'modules'>): HandlersOf<'modules'> => ({
  modules_list: async () => ({
    status: 200,
    body: { success: 1, data: (await service.list()).map(moduleView) },
  }),
  modules_get: async ({ path }) => {
    const data = moduleView(await service.get(path.slug));
    return { status: 200, etag: etagOf(data), body: { success: 1, data } };
  },
  modules_edit: async ({ path, body, caller, ifMatch }) => {
    const seen = precondition(ifMatch, moduleView);
    const module = await service.setActive(path.slug, body.active, caller.name, seen);
    const data = moduleView(module);
    const message = `The module was switched ${module.active ? 'on' : 'off'}.`;
    return { status: 200, etag: etagOf(data), body: { success: 1, message, data } };
  },
});
