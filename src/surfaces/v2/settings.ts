import type { operations } from '../../../generated/v2.ts';
import type { SettingsService } from '../../domains/settings/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';

type Handled = SomeHandlers<operations, 'settings_advanced_get' | 'settings_advanced_edit'>;

export const settings = (service: SettingsService): Handled => ({
  settings_advanced_get: async () => ({
    status: 200,
    body: { success: 1, data: await service.read('advanced') },
  }),
  settings_advanced_edit: async ({ body, caller }) => ({
    status: 200,
    body: {
      success: 1,
      message: 'The advanced settings were saved.',
      data: await service.edit('advanced', body, caller.name),
    },
  }),
});
