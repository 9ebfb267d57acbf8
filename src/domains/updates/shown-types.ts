import type { SettingsService } from '../settings/index.ts';
import { typesOf, UPDATE_TYPES, type UpdateType } from './update.ts';

export type ShownTypes = () => readonly UpdateType[];

export const allTypes: ShownTypes = () => UPDATE_TYPES;

export const shownTypes =
  (settings: Pick<SettingsService, 'current'>): ShownTypes =>
  () =>
    settings.current('general').show_language_updates === 1
      ? UPDATE_TYPES
      : UPDATE_TYPES.filter((type) => type !== 'translation');

/** Returns the types of a run. Hidden types are included only if the caller names types or items. */
export const selectedTypes = (
  { types, slugs }: { types: readonly UpdateType[]; slugs: readonly string[] },
  shown: ShownTypes,
): readonly UpdateType[] => (types.length === 0 && slugs.length === 0 ? shown() : typesOf(types));
