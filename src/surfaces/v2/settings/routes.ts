import type { Settings } from '../../../domains/settings/index.ts';
import { etagOf, precondition } from '../../../http/etags.ts';
import type { Needs } from '../../../services.ts';
import type { HandlersOf } from '../handlers.ts';

export const routes = ({ settings: { settings: service } }: Needs<'settings'>): HandlersOf<'settings'> => ({
  settings_advanced_get: async () => {
    const data = await service.read('advanced');
    return { status: 200, etag: etagOf(data), body: { success: 1, data } };
  },
  settings_advanced_edit: async ({ body, caller, ifMatch }) => {
    const seen = precondition<Settings<'advanced'>>(ifMatch, (current) => current);
    const data = await service.edit('advanced', body, caller.name, seen);
    const message = 'The advanced settings were saved.';
    return { status: 200, etag: etagOf(data), body: { success: 1, message, data } };
  },
});
