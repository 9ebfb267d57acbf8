import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import { IdempotentCalls } from './idempotent-calls.ts';

export function idempotencyPart({ knex, sealing, clock, logger }: Platform) {
  const answers = new IdempotentCalls({ knex, sealing, clock, logger });
  return definePart({
    name: 'idempotency',
    own: { answers },
    retentions: [{ name: 'idempotent-calls', prune: () => answers.prune() }],
    stop: () => answers.close(),
  });
}

export type IdempotencyServices = OwnOf<typeof idempotencyPart>;
