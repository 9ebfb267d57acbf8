export { Formats, moneyText } from './formats.ts';
export { currencyDecimals, isCurrency, withDecimals } from './currency.ts';
export { isAllowedTimeout, withSettingOverrides, SHORTEST_TIMEOUT, TIMEOUT_RULE } from './group-rules.ts';
export { SettingsService } from './settings-service.ts';
export { CachedValue } from './cached-value.ts';
export {
  maximumOfSetting,
  SETTINGS,
  type SettingsGroupName,
  type Settings,
  type SettingsPatch,
} from './settings-registry.ts';
export type { SettingsServices } from './part.ts';
export { isTimeZone, timeZoneOf, type TimeZone } from './time-zone.ts';
export { isAcceptedPicture, PICTURE_RULE, pictureSizeOf } from './picture-check.ts';
