import { build } from 'esbuild';
import { createClient, type ClientOptions, type Sitefleet } from '../../src/sdk/index.ts';
import type { World } from './world.ts';

/** Creates an API key of the administrator, for reading and writing. */
export async function createApiKey(world: World): Promise<string> {
  const key = { userId: 1, label: 'sdk', scope: 'read_write', expiresAt: null } as const;
  return (await world.container.services.access.access.keys.create(key, 'test')).secret;
}

/** Creates a client of a world with short retry delays. */
export async function createSdkClient(world: World, options: Partial<ClientOptions> = {}): Promise<Sitefleet> {
  return createClient({ url: world.url, key: await createApiKey(world), backoff: { firstMs: 1 }, ...options });
}

/** Bundles a program that uses the SDK for browsers. Code that only runs in Node fails. */
export async function bundleForBrowser(
  entry: string,
  { format = 'esm', minify = false }: { format?: 'esm' | 'iife'; minify?: boolean } = {},
): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'browser',
    target: 'es2022',
    format,
    minify,
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
