import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from './exit-codes.ts';
import type { CliEnvironment } from './cli-environment.ts';

export interface Profile {
  url: string;
  key: string;
}

export interface Profiles {
  current: string | null;
  profiles: Record<string, Profile>;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export function checkProfileName(name: string): string {
  if (!NAME.test(name) || name === '__proto__')
    throw new UsageError(`"${name}" is not a valid profile name. Use letters, digits, dots, dashes and underscores.`);
  return name;
}

export function profilesFile({ env, platform, home }: Pick<CliEnvironment, 'env' | 'platform' | 'home'>): string {
  const folder = platform === 'win32' ? env['APPDATA'] : env['XDG_CONFIG_HOME'];
  return join(folder || join(home, '.config'), 'sitefleet', 'config.json');
}

export async function readProfiles(file: string): Promise<Profiles> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw new UsageError(`${file} cannot be read: ${error.message}`);
  });
  const { current = null, profiles = {} } = parseProfilesFile(text, file);
  return { current, profiles: Object.fromEntries(Object.entries(profiles).filter(([, each]) => isProfile(each))) };
}

function parseProfilesFile(text: string, file: string): Partial<Profiles> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The error is thrown below, as for JSON that is no object.
  }
  throw new UsageError(`${file} is not a valid profile file. Correct it or delete it.`);
}

const isProfile = (value: unknown): value is Profile => {
  const { url, key } = (value ?? {}) as Partial<Profile>;
  return typeof url === 'string' && typeof key === 'string';
};

/** Writes the file of profiles. It contains keys, so other users can never read it, not even while it is written. */
export async function writeProfiles(file: string, profiles: Profiles): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}.new`;
  await writeFile(next, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  await chmod(next, 0o600);
  await rename(next, file);
}

export async function isOpenToOthers(file: string, platform: string): Promise<boolean> {
  if (platform === 'win32') return false;
  const stats = await stat(file).catch(() => null);
  return stats !== null && (stats.mode & 0o077) !== 0;
}
