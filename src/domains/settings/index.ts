export { Formats } from './formats.ts';
export { SettingsService, type SettingsParts } from './settings-service.ts';
export { Snapshot } from './snapshot.ts';
export type { Group, SecretOf, Settings, SettingsPatch } from './registry.ts';
export type { SettingsServices } from './services.ts';
export { isTimeZone, timeZoneOf, type TimeZone } from './time-zone.ts';
