import type { SettingsService } from '../settings/index.ts';
import { selectedTypesOrAll, UPDATE_TYPES, type UpdateType } from './update.ts';

export type VisibleUpdateTypes = () => readonly UpdateType[];

export const allUpdateTypes: VisibleUpdateTypes = () => UPDATE_TYPES;

export const visibleUpdateTypes =
  (settings: Pick<SettingsService, 'current'>): VisibleUpdateTypes =>
  () =>
    settings.current('general').show_language_updates === 1
      ? UPDATE_TYPES
      : UPDATE_TYPES.filter((type) => type !== 'translation');

export const selectUpdateTypes = (
  { types, slugs }: { types: readonly UpdateType[]; slugs: readonly string[] },
  shown: VisibleUpdateTypes,
): readonly UpdateType[] => (types.length === 0 && slugs.length === 0 ? shown() : selectedTypesOrAll(types));
