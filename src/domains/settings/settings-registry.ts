import { SETTINGS as SHARED_GROUPS } from '../../../generated/settings.ts';
import type { SettingDefinition, PatchOf, ValueOf } from './setting-definitions.ts';
import { MAIL_TYPES_GROUP } from './mail-types-group.ts';

export const SETTINGS = { ...SHARED_GROUPS, emails: MAIL_TYPES_GROUP } as const;

export type SettingsGroupName = keyof typeof SETTINGS;
type SettingFieldsOf<G extends SettingsGroupName> = (typeof SETTINGS)[G]['fields'];
type SecretIn<F> = { [N in keyof F]: F[N] extends { secret: true } ? N : never }[keyof F];

export type SecretOf<G extends SettingsGroupName> = Extract<SecretIn<SettingFieldsOf<G>>, string>;

/** A secret `x` is replaced by `x_set`, which is true if it is stored. */
export type Settings<G extends SettingsGroupName> = {
  readonly [N in Exclude<keyof SettingFieldsOf<G>, SecretOf<G>>]: ValueOf<SettingFieldsOf<G>[N]>;
} & { readonly [N in SecretOf<G> as `${N}_set`]: boolean };

export type SettingsPatch<G extends SettingsGroupName> = {
  [N in keyof SettingFieldsOf<G>]?: PatchOf<SettingFieldsOf<G>[N]>;
};

export const GROUPS = (Object.keys(SETTINGS) as SettingsGroupName[]).sort();

const FIELDS: Readonly<Record<SettingsGroupName, { fields: Readonly<Record<string, SettingDefinition>> }>> = SETTINGS;

export const definitionsOf = (group: SettingsGroupName): [string, SettingDefinition][] =>
  Object.entries(FIELDS[group].fields);

export function maximumOfSetting<G extends SettingsGroupName>(
  group: G,
  name: Extract<keyof SettingFieldsOf<G>, string>,
): number {
  const definition = FIELDS[group].fields[name];
  if (!definition || !('maximum' in definition)) throw new Error(`The setting ${group}.${name} has no highest value.`);
  return definition.maximum;
}

export const storedSettingName = (group: SettingsGroupName, name: string): string => `${group}.${name}`;
