export interface ProviderCredentials {
  /** URL of the control panel. Only for providers that have a control panel per customer. */
  url: string;
  username: string;
  companyId: string;
  secret: string;
}

export interface HostingInstance {
  addresses: readonly string[];
  hosts: readonly string[];
  latestBackup(): Promise<number | null>;
}

export type FetchJson = (path: string, headers: Readonly<Record<string, string>>) => Promise<unknown>;

export const PROVIDER_SLUGS = ['cpanel', 'digitalocean', 'kinsta', 'linode', 'vultr'] as const;
export type ProviderSlug = (typeof PROVIDER_SLUGS)[number];

export type AccountField = 'url' | 'username' | 'companyId';

export interface Provider {
  readonly slug: ProviderSlug;
  readonly label: string;
  readonly secret: 'api_key' | 'password';
  readonly fields: readonly AccountField[];
  base(account: ProviderCredentials): string;
  listInstances(ask: FetchJson, account: ProviderCredentials): Promise<HostingInstance[]>;
}

export const bearerHeader = ({ secret }: ProviderCredentials): Record<string, string> => ({
  authorization: `Bearer ${secret}`,
});

export const MAX_PAGES = 100;
