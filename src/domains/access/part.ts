import { part } from '../../part.ts';
import type { Platform } from '../../platform.ts';

/** Who may call: users and their keys. */
export const accessPart = ({ access }: Platform) => part({ name: 'access', own: { access } });
