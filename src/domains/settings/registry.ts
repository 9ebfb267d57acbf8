import { SETTINGS as SHARED_GROUPS } from '../../../generated/settings.ts';
import type { SettingDefinition, PatchOf, ValueOf } from './setting-definitions.ts';
import { MAIL_TYPES_GROUP } from './mail-types-group.ts';

export const SETTINGS = { ...SHARED_GROUPS, emails: MAIL_TYPES_GROUP } as const;

export type Group = keyof typeof SETTINGS;
type Fields<G extends Group> = (typeof SETTINGS)[G]['fields'];
type SecretIn<F> = { [N in keyof F]: F[N] extends { secret: true } ? N : never }[keyof F];

export type SecretOf<G extends Group> = Extract<SecretIn<Fields<G>>, string>;

/** A secret `x` is replaced by `x_set`, which is true if it is stored. */
export type Settings<G extends Group> = {
  readonly [N in Exclude<keyof Fields<G>, SecretOf<G>>]: ValueOf<Fields<G>[N]>;
} & { readonly [N in SecretOf<G> as `${N}_set`]: boolean };

export type SettingsPatch<G extends Group> = { [N in keyof Fields<G>]?: PatchOf<Fields<G>[N]> };

export const GROUPS = (Object.keys(SETTINGS) as Group[]).sort();

const FIELDS: Readonly<Record<Group, { fields: Readonly<Record<string, SettingDefinition>> }>> = SETTINGS;

export const definitionsOf = (group: Group): [string, SettingDefinition][] => Object.entries(FIELDS[group].fields);

export function maximumOfSetting<G extends Group>(group: G, name: Extract<keyof Fields<G>, string>): number {
  const definition = FIELDS[group].fields[name];
  if (!definition || !('maximum' in definition)) throw new Error(`The setting ${group}.${name} has no highest value.`);
  return definition.maximum;
}

/**
 * Returns the name of a setting in the database. It contains the group, because two groups can have a field of the same
 * name.
 */
export const storedName = (group: Group, name: string): string => `${group}.${name}`;
