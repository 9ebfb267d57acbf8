export { Formats, moneyText } from './formats.ts';
export { isCurrency, isAllowedTimeout, withOverrides, SHORTEST_TIMEOUT, TIMEOUT_RULE } from './group-rules.ts';
export { SettingsService } from './settings-service.ts';
export { CachedValue } from './cached-value.ts';
export { maximumOfSetting, SETTINGS, type Group, type Settings, type SettingsPatch } from './registry.ts';
export type { SettingsServices } from './part.ts';
export { isTimeZone, timeZoneOf, type TimeZone } from './time-zone.ts';
