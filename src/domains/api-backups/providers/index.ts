import type { Provider, ProviderSlug } from '../provider.ts';
import { cpanel } from './cpanel.ts';
import { digitalocean } from './digitalocean.ts';
import { kinsta } from './kinsta.ts';
import { linode } from './linode.ts';
import { vultr } from './vultr.ts';

/** Each is called by its public API as it documents it. */
export const PROVIDERS: Readonly<Record<ProviderSlug, Provider>> = { cpanel, digitalocean, kinsta, linode, vultr };
