import type { RequestHandler } from 'express';
import { rateLimit as limiter } from 'express-rate-limit';
import { MINUTE } from '../shared/clock.ts';
import { LimitExceededError } from '../shared/errors.ts';

/**
 * Limits calls per minute and credential. Runs after authentication, so callers that share an address do not share a
 * limit.
 */
export function rateLimit(callsAMinute: number): RequestHandler {
  return limiter({
    windowMs: MINUTE,
    limit: callsAMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: (_request, response) => response.locals['caller']?.credential ?? 'none',
    handler: (_request, response, next) => {
      const data = { retry_after_seconds: Number(response.get('Retry-After')) || 1 };
      next(
        new LimitExceededError(
          'svc_rate_limited',
          'There were too many calls with this credential. Try again later.',
          data,
        ),
      );
    },
    validate: false,
  });
}
