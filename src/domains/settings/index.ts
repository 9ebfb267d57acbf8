export { SettingsService } from './settings-service.ts';
export { Snapshot } from './snapshot.ts';
export type { Group, Settings, SettingsPatch } from './registry.ts';
export type { SettingsServices } from './services.ts';
