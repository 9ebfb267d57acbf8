import type { Formats } from './formats.ts';
import type { SettingsService } from './settings-service.ts';

/** What other parts and the surfaces may ask of the settings. */
export interface SettingsServices {
  settings: SettingsService;
  formats: Formats;
}
