import type { Request, RequestHandler, Response } from 'express';
import { rateLimit as limiter, type RateLimitInfo } from 'express-rate-limit';
import { MINUTE } from '../shared/clock.ts';
import { LimitExceededError } from '../shared/errors.ts';
import type { CredentialLimits } from './credential-limits.ts';
import type { RateLimitState } from './operation-types.ts';

/**
 * Limits calls per minute and credential. The limit of a credential replaces the general one, and 0 is no limit. Runs
 * after authentication, so callers that share an address do not share a limit.
 */
export function rateLimit(general: number, limits: CredentialLimits): RequestHandler {
  const limitOf = ({ locals }: Response): number =>
    (locals.caller ? limits.callsPerMinute(locals.caller) : null) ?? general;
  const limit = limiter({
    windowMs: MINUTE,
    limit: (_request, response) => limitOf(response),
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
  return (request, response, next) => (limitOf(response) === 0 ? next() : void limit(request, response, next));
}

export function rateLimitStateOf(request: Request): RateLimitState | null {
  const { rateLimit: state } = request as { rateLimit?: RateLimitInfo };
  return state ? { limit: state.limit, remaining: state.remaining, resetAt: state.resetTime?.getTime() ?? null } : null;
}
