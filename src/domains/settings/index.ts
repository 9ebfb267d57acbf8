export { Formats, moneyText, type MoneyForm } from './formats.ts';
export { isCurrency, isTimeout, overridden, SHORTEST_TIMEOUT, TIMEOUT_RULE } from './group-rules.ts';
export { SettingsService, type SettingsParts } from './settings-service.ts';
export { Snapshot } from './snapshot.ts';
export { maximumOf, type Group, type SecretOf, type Settings, type SettingsPatch } from './registry.ts';
export type { SettingsServices } from './services.ts';
export { isTimeZone, timeZoneOf, type TimeZone } from './time-zone.ts';
