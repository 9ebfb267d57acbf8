export { Formats, moneyText, type MoneyForm } from './formats.ts';
export { isCurrency, overridden } from './group-rules.ts';
export { SettingsService, type SettingsParts } from './settings-service.ts';
export { Snapshot } from './snapshot.ts';
export type { Group, SecretOf, Settings, SettingsPatch } from './registry.ts';
export type { SettingsServices } from './services.ts';
export { isTimeZone, timeZoneOf, type TimeZone } from './time-zone.ts';
