import { describeChangedObject, type ChangedObject } from '../../shared/changed-object.ts';
import type { SettingChange } from './group-values.ts';

type Values = Readonly<Record<string, unknown>>;

export function changedSettingsForChangeLog(
  group: string,
  changed: readonly SettingChange[],
  before: Values,
  after: Values,
): ChangedObject {
  const shown = changed.filter(({ secret }) => !secret).map(({ field }) => field);
  const secrets = changed.filter(({ secret }) => secret).map(({ field }) => field);
  const of = (values: Values): Values =>
    Object.fromEntries(shown.flatMap((field) => flattenField(field, values[field])));
  return describeChangedObject({ name: group, key: group }, of(before), of(after), secrets);
}

function flattenField(field: string, value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[field, value]];
  return Object.entries(value).map(([name, inner]) => [`${field}.${name}`, inner]);
}
