import type { ChangedValues } from '../../shared/changed-values.ts';
import type { ChangeRow, ChangeSource } from './change-repository.ts';

/** Texts from a child plugin are untrusted. Times are milliseconds since 1970. */
export interface LoggedChange {
  id: number;
  siteId: number | null;
  source: ChangeSource;
  type: string;
  description: string;
  actor: string;
  at: number;
  /** Name or title of the changed object. `key` identifies it among the objects of its kind on the site. */
  name: string | null;
  key: string | null;
  before: ChangedValues;
  after: ChangedValues;
}

export const CHANGE_COLUMNS = [
  ...['id', 'site_id', 'source', 'type', 'description', 'actor', 'at'],
  ...['object_name', 'object_key', 'old_values', 'new_values'],
] as const;
export type ListedRow = Pick<ChangeRow, (typeof CHANGE_COLUMNS)[number]>;

export const toChange = (row: ListedRow): LoggedChange => ({
  id: Number(row.id),
  siteId: row.site_id,
  source: row.source,
  type: row.type,
  description: row.description,
  actor: row.actor,
  at: Number(row.at),
  name: row.object_name,
  key: row.object_key,
  before: parseChangedValues(row.old_values),
  after: parseChangedValues(row.new_values),
});

const parseChangedValues = (json: string | null): ChangedValues =>
  json === null ? {} : (JSON.parse(json) as ChangedValues);
