import {
  emptyConnectionTimings,
  OutboundError,
  type ConnectionTimings,
  type Outbound,
  type OutboundFault,
} from '../../outbound/outbound.ts';
import { InvalidError } from '../../shared/errors.ts';
import type { WebTarget } from '../sites/index.ts';
import { isUp, type CheckAttempt, type AttemptFinding } from './check-attempt.ts';
import { hasKeyword } from './keyword-check.ts';
import type { MonitorSettings } from './monitor-settings.ts';
import { needsConfirmation, type MonitorState } from './monitor-state.ts';
import { statusOfUnreadableResponse, requestPageAsVisitor } from './page-request.ts';

/** Runs work when the configured limits for calls to an IP address allow it. `signal` aborts the wait. */
export type AddressCallLimiter = <T>(address: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

export interface MonitorCheckDeps {
  outbound: Pick<Outbound, 'resolve' | 'request' | 'connect'>;
  limit: AddressCallLimiter;
  timeoutMs: (settings: MonitorSettings) => number;
  beforeConfirmation: (signal?: AbortSignal) => Promise<void>;
}

export interface MonitorTask {
  target: WebTarget;
  settings: MonitorSettings;
  state: MonitorState;
}

interface AttemptOutcome {
  finding: AttemptFinding;
  status: number;
}

/**
 * Checks one site. Each attempt resolves the host name again and opens a new connection, so that the result of one
 * attempt cannot affect the next.
 */
export class MonitorCheck {
  readonly #deps: MonitorCheckDeps;

  constructor(deps: MonitorCheckDeps) {
    this.#deps = deps;
  }

  async run(
    { target, settings, state }: MonitorTask,
    signal?: AbortSignal,
  ): Promise<[CheckAttempt, ...CheckAttempt[]]> {
    const first = await this.#attempt(target, settings, signal);
    if (isUp(first) || !needsConfirmation(state, settings.confirmation)) return [first];
    await this.#deps.beforeConfirmation(signal);
    return [first, await this.#attempt(target, settings, signal)];
  }

  async #attempt(target: WebTarget, settings: MonitorSettings, signal?: AbortSignal): Promise<CheckAttempt> {
    const { outbound, limit, timeoutMs } = this.#deps;
    const observation = emptyConnectionTimings();
    let began = performance.now();
    let resolvingMs = 0;
    const outcome = await this.#judged(async () => {
      const deadlineMs = timeoutMs(settings);
      const lookup = outbound.resolve(target.url, { fresh: true, deadlineMs, signal }).finally(() => {
        resolvingMs = performance.now() - began;
        began = performance.now();
      });
      const { address } = await lookup;
      const work = (): Promise<AttemptOutcome> => {
        // The wait for the limits of `limit` does not count as response time of the site.
        began = performance.now();
        return this.#request(target, settings, observation, signal);
      };
      return limit(address, work, signal);
    });
    const lookedForMs = performance.now() - began + resolvingMs;
    return {
      ...outcome,
      address: observation.address,
      totalMs: Math.max(0, Math.round(lookedForMs)),
      dnsMs: roundMilliseconds(resolvingMs + (observation.dnsMs ?? 0)),
      connectMs: roundMilliseconds(observation.connectMs),
      tlsMs: roundMilliseconds(observation.tlsMs),
      firstByteMs: roundMilliseconds(observation.firstByteMs),
    };
  }

  async #request(
    target: WebTarget,
    settings: MonitorSettings,
    observation: ConnectionTimings,
    signal: AbortSignal | undefined,
  ): Promise<AttemptOutcome> {
    const { outbound, timeoutMs } = this.#deps;
    const { type, acceptedStatuses, keyword } = settings;
    const deadlineMs = timeoutMs(settings);
    if (type === 'ping') {
      await outbound.connect({ url: target.url, deadlineMs, observation, ...(signal && { signal }) });
      return { finding: 'connected', status: 0 };
    }
    const isAccepted = (status: number): boolean => acceptedStatuses.includes(status);
    const method = type === 'keyword' ? 'get' : settings.method;
    try {
      const answer = await requestPageAsVisitor(outbound, {
        target,
        method,
        deadlineMs,
        ownConnection: true,
        observation,
        signal,
      });
      const { status } = answer;
      if (!isAccepted(status)) return { finding: 'status_refused', status };
      if (type === 'http') return { finding: 'status_accepted', status };
      return { finding: hasKeyword(answer, keyword) ? 'keyword_found' : 'keyword_missing', status };
    } catch (error) {
      const status = statusOfUnreadableResponse(error);
      if (status === null) throw error;
      if (!isAccepted(status)) return { finding: 'status_refused', status };
      if (type === 'http') return { finding: 'status_accepted', status };
      return { finding: (error as OutboundError).fault as 'body_too_large' | 'bad_encoding', status };
    }
  }

  async #judged(work: () => Promise<AttemptOutcome>): Promise<AttemptOutcome> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof OutboundError && error.fault !== 'aborted')
        return { finding: error.fault satisfies Exclude<OutboundFault, 'aborted'>, status: error.status ?? 0 };
      if (error instanceof InvalidError && error.code === 'svc_address_refused')
        return { finding: 'address_refused', status: 0 };
      if (error instanceof InvalidError && error.code === 'svc_invalid_url')
        return { finding: 'bad_redirect', status: 0 };
      throw error;
    }
  }
}

const roundMilliseconds = <T extends number | null>(ms: T): T =>
  ms === null ? ms : (Math.max(0, Math.round(ms)) as T);
