export interface Account {
  /** URL of the control panel. Only for providers with a panel per customer. */
  url: string;
  username: string;
  companyId: string;
  /** API key or password. */
  secret: string;
}

/** A server or a single site that a provider backs up. */
export interface BackupTarget {
  /** IP addresses of the server. */
  addresses: readonly string[];
  /** Host names that the server serves. */
  hosts: readonly string[];
  /** Returns the time of the last backup in milliseconds since 1970, or null if there is none. */
  latestBackup(): Promise<number | null>;
}

/** Requests a JSON document from the API of a provider. The path is relative to `base`. */
export type FetchJson = (path: string, headers: Readonly<Record<string, string>>) => Promise<unknown>;

export const PROVIDER_SLUGS = ['cpanel', 'digitalocean', 'kinsta', 'linode', 'vultr'] as const;
export type ProviderSlug = (typeof PROVIDER_SLUGS)[number];

/** Fields besides the secret. */
export type AccountField = 'url' | 'username' | 'companyId';

export interface Provider {
  readonly slug: ProviderSlug;
  readonly label: string;
  readonly secret: 'api_key' | 'password';
  readonly fields: readonly AccountField[];
  /** Returns the base URL of the API. */
  base(account: Account): string;
  listTargets(ask: FetchJson, account: Account): Promise<BackupTarget[]>;
}

export const bearerHeader = ({ secret }: Account): Record<string, string> => ({ authorization: `Bearer ${secret}` });

/** Maximum number of pages that are read of a list. */
export const MAX_PAGES = 100;
