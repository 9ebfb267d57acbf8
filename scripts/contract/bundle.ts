import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SURFACES, type Surface } from '../../src/contract/surfaces.ts';

/** Keeps Redocly from reporting usage and from looking for updates. */
export const QUIET_ENV = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** Runs the Redocly CLI. Throws its output if it fails. */
export async function redocly(...args: string[]): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, ['node_modules/@redocly/cli/bin/cli.js', ...args], {
      env: QUIET_ENV,
      maxBuffer: 64 << 20,
    });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`redocly ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/**
 * Returns the served documents as `npx redocly bundle` writes them, made of the present sources. Fails if two
 * components have the same name.
 */
export async function bundleSources(): Promise<Record<Surface, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-openapi-'));
  try {
    const texts = SURFACES.map(async (surface) => {
      const file = join(folder, `${surface}.json`);
      // An alias of redocly.yaml would be written to its own output.
      await redocly('bundle', `openapi/${surface}/openapi.yaml`, '-o', file, ...STRICT);
      return [surface, await readFile(file, 'utf8')] as const;
    });
    return Object.fromEntries(await Promise.all(texts)) as Record<Surface, string>;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const STRICT = ['--component-renaming-conflicts-severity', 'error'];
