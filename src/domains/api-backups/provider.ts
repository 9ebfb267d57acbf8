/** What a provider is asked with. */
export interface Account {
  /** Where its panel is; of providers with one of their own for each customer. */
  url: string;
  username: string;
  companyId: string;
  /** The API key or the password. */
  secret: string;
}

/** Something that a provider makes backups of: a server, or one site. */
export interface BackedUp {
  /** IP addresses that it answers at. */
  addresses: readonly string[];
  /** Host names that it serves. */
  hosts: readonly string[];
  /** When its last backup was made, in milliseconds since 1970; null when there is none. */
  latestBackup(): Promise<number | null>;
}

/** Asks the API of a provider, which lies below `base`, for one JSON document. */
export type Ask = (path: string, headers: Readonly<Record<string, string>>) => Promise<unknown>;

export const PROVIDER_SLUGS = ['cpanel', 'digitalocean', 'kinsta', 'linode', 'vultr'] as const;
export type ProviderSlug = (typeof PROVIDER_SLUGS)[number];

/** Fields of an account beside its secret. */
export type AccountField = 'url' | 'username' | 'companyId';

/** A service that makes backups of sites, and tells of them by a public API. */
export interface Provider {
  readonly slug: ProviderSlug;
  readonly label: string;
  readonly secret: 'api_key' | 'password';
  readonly fields: readonly AccountField[];
  /** Where its API is. */
  base(account: Account): string;
  /** All that the account holds. */
  backedUp(ask: Ask, account: Account): Promise<BackedUp[]>;
}

export const bearer = ({ secret }: Account): Record<string, string> => ({ authorization: `Bearer ${secret}` });

/** An account holds no more pages than this. */
export const MAX_PAGES = 100;
