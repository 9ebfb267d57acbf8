import type { operations } from '../../../../generated/v2.ts';
import { SETTINGS as SHARED_GROUPS } from '../../../../generated/settings.ts';
import {
  SETTINGS,
  withDecimals,
  type SettingsGroupName,
  type Settings,
  type SettingsPatch,
  type SettingsService,
} from '../../../domains/settings/index.ts';
import { etagOf, precondition } from '../../../http/etags.ts';
import type { HandlerResponse, CallContext, HandlersOfOperations } from '../../../http/operation-types.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { emailRoutes } from './email-routes.ts';
import { backupProvidersGroup } from '../api-backups/backup-providers-group.ts';
import { costOptionsView } from '../costs/view.ts';
import { groupView, type SettingsGroupInfo } from './view.ts';

type GenericGroup = keyof typeof SHARED_GROUPS;
type GroupOperation = `settings_${(typeof SHARED_GROUPS)[GenericGroup]['id']}_${'get' | 'edit'}`;
type SettingsEditCall = CallContext & { body: SettingsPatch<SettingsGroupName>; ifMatch: string | undefined };

type SettingsRouteDeps = RequiredServices<'settings' | 'modules' | 'costs' | 'mail'>;

export const routes = (
  { settings: { settings: service }, modules: { modules }, costs: { options }, mail }: SettingsRouteDeps,
  { base }: BaseAddress,
): HandlersOf<'settings'> => ({
  ...groupRoutes(service, { 'cost-tracker': async () => costOptionsView(await options.list()) }),
  ...emailRoutes({ mail }),
  settings_list: async () => {
    const activeModules = new Set<string>((await modules.list()).flatMap(({ slug, active }) => (active ? [slug] : [])));
    const data = LISTED_GROUPS.map(([slug, group]) => groupView(slug, group, { base, activeModules }));
    return { status: 200, body: { success: 1, data } };
  },
});

const LISTED_GROUPS = Object.entries<SettingsGroupInfo>({ ...SETTINGS, 'api-backups': backupProvidersGroup }).sort(
  ([one], [other]) => (one < other ? -1 : 1),
);
const GENERIC_GROUPS = Object.keys(SHARED_GROUPS) as GenericGroup[];

type ExtraSettingsFields = Partial<Record<GenericGroup, () => Promise<object>>>;

const shownSettings = (settings: Settings<SettingsGroupName>): object =>
  'decimals' in settings ? withDecimals(settings as Settings<'cost-tracker'>) : settings;

function groupRoutes(
  service: SettingsService,
  beside: ExtraSettingsFields,
): HandlersOfOperations<operations, GroupOperation> {
  const handlers = GENERIC_GROUPS.flatMap((group) => {
    const { id, title } = SETTINGS[group];
    const read = async (): Promise<HandlerResponse> => {
      const data = { ...shownSettings(await service.read(group)), ...(await beside[group]?.()) };
      return { status: 200, etag: etagOf(data), body: { success: 1, data } };
    };
    const edit = async ({ body, caller, ifMatch }: SettingsEditCall): Promise<HandlerResponse> => {
      const more = await beside[group]?.();
      const seen = precondition<Settings<SettingsGroupName>>(ifMatch, (current) => ({
        ...shownSettings(current),
        ...more,
      }));
      const data = { ...shownSettings(await service.edit(group, body, caller.name, seen)), ...more };
      const message = `The ${title} were saved.`;
      return { status: 200, etag: etagOf(data), body: { success: 1, message, data } };
    };
    return [
      [`settings_${id}_get`, read],
      [`settings_${id}_edit`, edit],
    ];
  });
  return Object.fromEntries(handlers) as HandlersOfOperations<operations, GroupOperation>;
}
