import type { Provider, ProviderSlug } from '../provider.ts';
import { cpanel } from './cpanel.ts';
import { digitalocean } from './digitalocean.ts';
import { kinsta } from './kinsta.ts';
import { linode } from './linode.ts';
import { vultr } from './vultr.ts';

export const PROVIDERS: Readonly<Record<ProviderSlug, Provider>> = { cpanel, digitalocean, kinsta, linode, vultr };
