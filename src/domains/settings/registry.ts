import { SETTINGS } from '../../../generated/settings.ts';
import type { Definition, ValueOf } from './definitions.ts';

export type Group = keyof typeof SETTINGS;
type Fields<G extends Group> = (typeof SETTINGS)[G]['fields'];

export type Settings<G extends Group> = { readonly [N in keyof Fields<G>]: ValueOf<Fields<G>[N]> };
/** Absent leaves a setting as it is, null puts it back to its default. */
export type SettingsPatch<G extends Group> = { [N in keyof Fields<G>]?: ValueOf<Fields<G>[N]> | null };

export const GROUPS = Object.keys(SETTINGS) as Group[];

export const definitionsOf = (group: Group): [string, Definition][] => Object.entries(SETTINGS[group].fields);

/** Under which name a setting is stored: two groups may have a field of the same name. */
export const storedName = (group: Group, name: string): string => `${group}.${name}`;
