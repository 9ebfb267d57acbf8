import type { Express } from 'express';
import type { Config } from '../platform/config.ts';
import { Parts } from '../platform/part.ts';
import { createPlatform, type Overrides, type Platform } from '../platform/platform.ts';
import { createServiceApp } from './service-app.ts';
import { addServiceParts } from './service-parts.ts';
import type { Services } from './services.ts';

export type { Overrides } from '../platform/platform.ts';

export interface Container extends Platform {
  services: Services;
  app: Express;
  /** Spares the first requests what can be set up before them. */
  warmUp: () => Promise<void>;
  /** Begins to work on jobs; after the migrations. */
  start(): Promise<void>;
  /** Gives back what has not begun and waits for what has, up to `graceMs`. */
  drain(graceMs: number): Promise<void>;
}

/** The one place where the service is put together: the platform, the parts, and the app that serves them. */
export async function createContainer(config: Config, overrides: Overrides = {}): Promise<Container> {
  const platform = await createPlatform(config, overrides);
  const { database, queue } = platform;
  const parts = new Parts();
  const services = addServiceParts(parts, platform);
  queue.register(...parts.all('jobs'));

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
