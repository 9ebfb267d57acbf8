import type { operations } from '../../../generated/v2.ts';
import type { ModuleService } from '../../domains/modules/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { moduleView } from './modules.view.ts';

type Handled = SomeHandlers<operations, 'modules_list' | 'modules_edit'>;

export const modules = (service: ModuleService): Handled => ({
  modules_list: async () => ({
    status: 200,
    body: { success: 1, data: (await service.list()).map(moduleView) },
  }),
  modules_edit: async ({ path, body, caller }) => {
    const module = await service.setActive(path.slug, body.active, caller.name);
    const message = `The module was switched ${module.active ? 'on' : 'off'}.`;
    return { status: 200, body: { success: 1, message, data: moduleView(module) } };
  },
});
