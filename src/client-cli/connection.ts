import { createClient, type Sitefleet } from '../sdk/index.ts';
import { UsageError } from './exit-codes.ts';
import { isOpenToOthers, profilesFile, readProfiles } from './profiles.ts';
import type { CliEnvironment } from './cli-environment.ts';

export interface CommonOptions {
  profile?: string;
  url?: string;
  timeout?: number;
  json?: boolean;
  progress?: boolean;
  color?: boolean;
}

export interface Connection {
  url: string;
  key: string;
  fleet: Sitefleet;
}

/**
 * Creates a client for a service. The URL comes from `--url`, SITEFLEET_URL or the profile, in this order. The profile
 * is the one in `--profile` or SITEFLEET_PROFILE, or else the current one. SITEFLEET_KEY replaces the key of the
 * profile.
 */
export async function connect(options: CommonOptions, environment: CliEnvironment): Promise<Connection> {
  const { env, err, platform } = environment;
  const file = profilesFile(environment);
  const { current, profiles } = await readProfiles(file);
  const setting = (variable: string): string | undefined => env[variable] || undefined;
  const named = options.profile ?? setting('SITEFLEET_PROFILE');
  const name = named ?? current;
  const profile = name === null ? undefined : profiles[name];
  if (!profile && named !== undefined)
    throw new UsageError(
      `There is no profile "${named}". To add it, run: sitefleet profiles add ${named} --url <address>`,
    );
  const url = checkUrl(options.url ?? setting('SITEFLEET_URL') ?? profile?.url);
  const envKey = setting('SITEFLEET_KEY');
  // A key from the environment is sent to any service. The key of a profile is sent only to the service of that
  // profile.
  const key = envKey ?? (profile && checkUrl(profile.url) === url ? profile.key : undefined);
  if (!key)
    throw new UsageError(
      `There is no API key for ${url}. Set SITEFLEET_KEY, or run: sitefleet profiles add <name> --url ${url}`,
    );
  if (!envKey && (await isOpenToOthers(file, platform)))
    err.write(`Other users can read ${file}, which contains API keys. To fix this, run: chmod 600 ${file}\n`);
  const timeoutMs = options.timeout === undefined ? {} : { timeoutMs: options.timeout * 1000 };
  return { url, key, fleet: createClient({ url, key, ...timeoutMs }) };
}

export function checkUrl(text: string | undefined): string {
  if (text === undefined || text === '')
    throw new UsageError('No service is set. Set SITEFLEET_URL, or run: sitefleet profiles add <name> --url <address>');
  const url = parsedUrl(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
    throw new UsageError(`"${text}" is not a valid service URL. A valid URL is, for example, https://fleet.example.`);
  return url.href.replace(/\/+$/, '');
}

function parsedUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
