import type { Knex } from 'knex';
import type { Caller } from './caller.ts';

export const DELETION_EFFECTS = {
  site: [
    ...([
      'plugins',
      'themes',
      'updates',
      'ignored_updates',
      'pins',
      'abandoned',
      'vulnerabilities',
      'vulnerability_fixes',
      'changes',
    ] as const),
    ...(['monitors', 'incidents', 'uptime_days', 'certificates', 'performance_audits'] as const),
    ...(['report_schedules', 'queued_reports', 'reports', 'tasks', 'costs', 'tags', 'limits'] as const),
  ],
  client: [
    ...(['sites', 'custom_fields', 'report_schedules', 'queued_reports', 'reports', 'tasks'] as const),
    ...(['buckets', 'tracker_settings', 'costs', 'limits'] as const),
  ],
  tag: ['sites', 'costs', 'limits'],
} as const;

export type DeletedKind = keyof typeof DELETION_EFFECTS;
export type DeletionEffects<Kind extends DeletedKind> = Record<(typeof DELETION_EFFECTS)[Kind][number], number>;

export type DeletionViewer = Pick<Caller, 'sites' | 'userId' | 'keyId' | 'permissions'>;

/** Rows with the ID of the deleted record in `column`. Counts of the same effect are added up. */
export type DeletionCount = {
  [Kind in DeletedKind]: {
    of: Kind;
    effect: keyof DeletionEffects<Kind>;
    table: string;
    column: string;
    where?: Readonly<Record<string, string>>;
    whereNot?: Readonly<Record<string, string>>;
    /** Restricts the rows to those that a caller limited to some sites sees. Otherwise such a caller sees all rows. */
    whereVisible?: (knex: Knex, rows: Knex.QueryBuilder, viewer: DeletionViewer) => void;
  };
}[DeletedKind];
