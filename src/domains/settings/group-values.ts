import { isDeepStrictEqual } from 'node:util';
import { FieldErrors } from '../../shared/field-errors.ts';
import { replaceInvalidByDefaults, applyPatch, type SettingDefinition } from './setting-definitions.ts';
import {
  definitionsOf,
  GROUPS,
  storedSettingName,
  type SettingsGroupName,
  type Settings,
} from './settings-registry.ts';
import type { StoredSetting } from './settings-repository.ts';

type Values = Record<string, unknown>;
export type AllSettings = { readonly [G in SettingsGroupName]: Settings<G> };

export function effectiveSettings(stored: readonly StoredSetting[]): AllSettings {
  const values = new Map(stored.map(({ name, value }) => [name, value]));
  const groups = GROUPS.map((group) => {
    const settings = definitionsOf(group).map(([name, definition]) => {
      const value = values.get(storedSettingName(group, name));
      return definition.secret
        ? [`${name}_set`, value !== undefined]
        : [name, replaceInvalidByDefaults(definition, value)];
    });
    return [group, Object.freeze(Object.fromEntries(settings))] as const;
  });
  return Object.fromEntries(groups) as unknown as AllSettings;
}

export const DEFAULTS = effectiveSettings([]);

export interface SettingChange {
  field: string;
  name: string;
  /** undefined resets the setting to its default. */
  value: unknown;
  secret: boolean;
}

export function parseSettingsPatch(group: SettingsGroupName, patch: Values, before: Values): SettingChange[] {
  const definitions = new Map(definitionsOf(group));
  const errors = new FieldErrors();
  const wanted: SettingChange[] = [];
  for (const [field, input] of Object.entries(patch)) {
    if (input === undefined) continue;
    const definition = definitions.get(field);
    if (!definition) {
      errors.add({ path: field, message: 'is not a setting of this group' });
      continue;
    }
    const { secret } = definition;
    const name = storedSettingName(group, field);
    const result = isReset(definition, input) ? { value: undefined } : applyPatch(definition, input, before[field]);
    if ('value' in result) wanted.push({ field, name, value: result.value, secret });
    else errors.add(...result.problems.map(({ path, message }) => ({ path: joinFieldPath(field, path), message })));
  }
  errors.throwIfAny();
  return wanted;
}

const isReset = ({ secret }: SettingDefinition, input: unknown): boolean => input === null || (secret && input === '');

const joinFieldPath = (field: string, path: string): string => (path === '' ? field : `${field}.${path}`);

export function applySettingChanges<G extends SettingsGroupName>(
  group: G,
  before: Settings<G>,
  wanted: readonly SettingChange[],
): Settings<G> {
  const definitions = new Map(definitionsOf(group));
  const values = wanted.map(({ field, value, secret }) =>
    secret
      ? [`${field}_set`, value !== undefined]
      : [field, replaceInvalidByDefaults(definitions.get(field) as SettingDefinition, value)],
  );
  return { ...before, ...Object.fromEntries(values) } as Settings<G>;
}

export function describeSettingChange({ field, name, value, secret }: SettingChange, before: Values): string {
  if (value === undefined) return `${name} = default`;
  if (secret) return name;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${name} = ${toTruncatedJson(value)}`;
  const stood = before[field] as Values;
  const moved = Object.entries(value).filter(([key, inner]) => !isDeepStrictEqual(stood[key], inner));
  return moved.map(([key, inner]) => `${name}.${key} = ${toTruncatedJson(inner)}`).join(', ');
}

const LONGEST_SHOWN = 200;

function toTruncatedJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`;
}
