import type { Knex } from 'knex';
import { SECOND } from '../../shared/clock.ts';
import { groupBy } from '../../shared/group-by.ts';
import type { NewChangeRow } from './change-repository.ts';
import { keysOf, objectOf, readSiteChanges, selectBySite, spanOf } from './site-changes-read-model.ts';

type StoredEdit = Pick<NewChangeRow, 'site_id' | 'type' | 'object_key' | 'actor' | 'at'>;

/** Maximum time between the entries of one save. Their times are whole seconds, and an editor sends two requests. */
export const SAVE_WITHIN = 5 * SECOND;
/** Actions that can be part of a save. Entries of other actions, such as `viewed`, are not merged. */
const SAVING =
  /\.(created|published|scheduled|submitted|unpublished|updated|trashed|restored|(role|password)_changed)$/;
/** An update of a plugin, a theme or WordPress is the installation of a version, and not an edit. */
const INSTALLED = /^(plugin|theme|wordpress)\./;

/**
 * Merges the entries of one save. A child plugin logs each changed field of an object as an update of its own, beside
 * the action of the save, such as a publication. The entry of the action is kept, or the first update if there is no
 * action. The kept entry gets the texts and values of all these entries. If it is already stored, later entries are
 * dropped.
 */
export async function mergeSaves(trx: Knex.Transaction, rows: readonly NewChangeRow[]): Promise<NewChangeRow[]> {
  const edits = rows.filter(isEdit);
  if (edits.length === 0) return [...rows];
  const selections = selectBySite(edits, (ofSite) => ({
    source: ['child_changes'],
    object_key: keysOf(ofSite),
    span: spanOf(ofSite, SAVE_WITHIN),
  }));
  const stored = await readSiteChanges(trx, ['site_id', 'type', 'object_key', 'actor', 'at'], selections);
  const others = rows.filter((row) => !isEdit(row));
  const saves = groupBy<string, NewChangeRow | StoredEdit>([...stored, ...others].filter(isSave), saveKeyOf);
  const merged = new Map<NewChangeRow | StoredEdit, NewChangeRow[]>();
  const kept = rows.filter((row) => {
    if (!isEdit(row)) return true;
    const known = saves.get(saveKeyOf(row)) ?? [];
    const save = known.find(({ at }) => Math.abs(at - row.at) <= SAVE_WITHIN);
    if (save) merged.set(save, [...(merged.get(save) ?? []), row]);
    else {
      known.push(row);
      saves.set(saveKeyOf(row), known);
    }
    return !save;
  });
  return kept.map((row) => withEdits(row, merged.get(row) ?? []));
}

const isEdit = ({ source, type, object_key }: NewChangeRow): boolean =>
  source === 'child_changes' && object_key !== null && type.endsWith('.updated') && !INSTALLED.test(type);

const isSave = ({ type, object_key }: StoredEdit): boolean => object_key !== null && SAVING.test(type);

const saveKeyOf = (entry: StoredEdit): string => JSON.stringify([objectOf(entry), entry.actor]);

function withEdits(row: NewChangeRow, edits: readonly NewChangeRow[]): NewChangeRow {
  if (edits.length === 0) return row;
  const parts = [row, ...edits];
  return {
    ...row,
    description: [...new Set(parts.map(({ description }) => description))].join('; '),
    old_values: mergedValues(parts.map(({ old_values }) => old_values).toReversed()),
    new_values: mergedValues(parts.map(({ new_values }) => new_values)),
  };
}

function mergedValues(texts: readonly (string | null)[]): string | null {
  const values = texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as object]));
  return values.length === 0 ? null : JSON.stringify(Object.assign({}, ...values));
}
