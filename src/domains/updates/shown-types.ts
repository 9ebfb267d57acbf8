import type { SettingsService } from '../settings/index.ts';
import { typesOf, UPDATE_TYPES, type UpdateType } from './update.ts';

/** The kinds of updates that lists show, in their order. */
export type ShownTypes = () => readonly UpdateType[];

export const allTypes: ShownTypes = () => UPDATE_TYPES;

/** Translations are shown unless the settings leave them out. */
export const shownTypes =
  (settings: Pick<SettingsService, 'current'>): ShownTypes =>
  () =>
    settings.current('general').show_language_updates === 1
      ? UPDATE_TYPES
      : UPDATE_TYPES.filter((type) => type !== 'translation');

/** What a run is about: what nobody is shown takes part where its kind or the item is named. */
export const meantTypes = (
  { types, slugs }: { types: readonly UpdateType[]; slugs: readonly string[] },
  shown: ShownTypes,
): readonly UpdateType[] => (types.length === 0 && slugs.length === 0 ? shown() : typesOf(types));
