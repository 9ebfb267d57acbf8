import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import { IdempotentCalls } from './idempotent-calls.ts';

export function idempotencyPart({ knex, sealing, clock, logger, config }: Platform) {
  const answers = new IdempotentCalls({ knex, sealing, clock, logger, leaseMs: config.leaseMs });
  return definePart({
    name: 'idempotency',
    own: { answers },
    retentions: [{ name: 'idempotent-calls', prune: () => answers.prune() }],
    start: async ({ alone }) => {
      if (alone) await answers.expireStale();
    },
    stop: () => answers.close(),
  });
}

export type IdempotencyServices = OwnOf<typeof idempotencyPart>;
