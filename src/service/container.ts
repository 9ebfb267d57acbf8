import type { Express } from 'express';
import type { Config } from '../platform/config.ts';
import { Parts } from '../platform/part.ts';
import { createPlatform, type Overrides, type Platform } from '../platform/platform.ts';
import { isInScope } from '../domains/sites/index.ts';
import { createServiceApp } from './service-app.ts';
import { addServiceParts } from './service-parts.ts';
import type { Services } from './services.ts';

export type { Overrides } from '../platform/platform.ts';

export interface Container extends Platform {
  services: Services;
  app: Express;
  /** Sets up the request validators before the first request needs them. */
  warmUp: () => Promise<void>;
  /** Must run after the migrations. */
  start(): Promise<void>;
  /** Releases jobs that have not started, and waits up to `graceMs` for running jobs. */
  drain(graceMs: number): Promise<void>;
}

export async function createContainer(config: Config, overrides: Overrides = {}): Promise<Container> {
  const platform = await createPlatform(config, overrides);
  const { database, knex, queue } = platform;
  const parts = new Parts();
  const services = addServiceParts(parts, platform);
  queue.register(...parts.all('jobs'));
  queue.limitItemsBy(async (owner, siteId) =>
    isInScope(knex, await services.access.access.scopeOfOwner(owner), siteId),
  );

  let draining = false;
  const { app, warmUp } = createServiceApp(platform, parts, services, () => draining);
  return {
    ...platform,
    services,
    app,
    warmUp,
    start: async () => {
      const alone = database.dialect === 'sqlite';
      await parts.start({ alone });
      await queue.start({ alone });
    },
    drain: async (graceMs) => {
      draining = true;
      await parts.drain();
      await queue.stop(graceMs);
    },
    close: async () => {
      draining = true;
      await parts.drain();
      await queue.stop(0);
      await parts.stop();
      await platform.close();
    },
  };
}
