import { part } from '../../part.ts';
import type { Platform } from '../../platform.ts';

/** How the service works; each process sees what another one changed. */
export const settingsPart = ({ settings }: Platform) =>
  part({ name: 'settings', own: { settings }, start: () => settings.start() });
