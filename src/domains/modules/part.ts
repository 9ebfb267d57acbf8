import { part } from '../../part.ts';
import type { Platform } from '../../platform.ts';

/** Parts of the service that can be switched off. */
export const modulesPart = ({ modules }: Platform) => part({ name: 'modules', own: { modules } });
