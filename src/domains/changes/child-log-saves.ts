import { SECOND } from '../../shared/clock.ts';
import type { ChangeRepository, NewChangeRow, StoredEdit } from './change-repository.ts';

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
export async function mergeSaves(
  repository: ChangeRepository,
  siteId: number,
  rows: readonly NewChangeRow[],
): Promise<NewChangeRow[]> {
  const edits = rows.filter(isEdit);
  if (edits.length === 0) return [...rows];
  const [from, until] = edits.reduce(([low, high], { at }) => [Math.min(low, at), Math.max(high, at)], [Infinity, 0]);
  const keys = [...new Set(edits.flatMap(({ object_key }) => object_key ?? []))];
  const stored = await repository.childEditsOf(siteId, keys, [from - SAVE_WITHIN, until + SAVE_WITHIN]);
  const saves = new Map<string, (NewChangeRow | StoredEdit)[]>();
  const remember = (entry: NewChangeRow | StoredEdit): void => {
    const known = saves.get(saveKeyOf(entry));
    if (known) known.push(entry);
    else saves.set(saveKeyOf(entry), [entry]);
  };
  for (const entry of [...stored, ...rows.filter((row) => !isEdit(row))])
    if (entry.object_key !== null && SAVING.test(entry.type)) remember(entry);
  const merged = new Map<NewChangeRow | StoredEdit, NewChangeRow[]>();
  const kept = rows.filter((row) => {
    if (!isEdit(row)) return true;
    const save = saves.get(saveKeyOf(row))?.find(({ at }) => Math.abs(Number(at) - row.at) <= SAVE_WITHIN);
    if (save) merged.set(save, [...(merged.get(save) ?? []), row]);
    else remember(row);
    return !save;
  });
  return kept.map((row) => withEdits(row, merged.get(row) ?? []));
}

const isEdit = ({ source, type, object_key }: NewChangeRow): boolean =>
  source === 'child_changes' && object_key !== null && type.endsWith('.updated') && !INSTALLED.test(type);

const saveKeyOf = ({ type, object_key, actor }: Pick<NewChangeRow, 'type' | 'object_key' | 'actor'>): string =>
  JSON.stringify([type.split('.')[0], object_key, actor]);

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
