import { setTimeout as sleep } from 'node:timers/promises';
import { OutboundError, RequestWithheldError, type Outbound } from '../outbound/index.ts';
import { SECOND } from '../shared/clock.ts';
import { ChildUnreachableError, isKeyRefusal } from '../shared/child-call-errors.ts';
import { DomainError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import type { CircuitBreaker } from './breaker.ts';
import type { Channel } from './channel.ts';
import type { BegunTurn, ChildLink, ChildTarget } from './child-site.ts';
import { replayRefusedError, isReplayRefusal, parseChildError, outboundErrorToChildError } from './child-errors.ts';
import { STATE_RESPONSE_LIMITS } from './json-limit-checker.ts';
import type { CallKind } from './connector-limits.ts';
import type { FormFields } from './form-encoding.ts';
import { diagnoseRefusal } from './refusal-diagnosis.ts';
import type { Scheduler } from './scheduler.ts';
import { collectSecrets } from './secret-detection.ts';
import type { SignedCall, SignedCaller } from './signed-call.ts';
import {
  makeNonce,
  makeWrongSignature,
  signatureSchemeFields,
  type SignatureScheme,
  type SiteKeySigner,
} from './signing.ts';

export interface Deadlines {
  connectMs: number;
  readMs: number;
  updateMs: number;
}

export const DEADLINES: Deadlines = { connectMs: 10 * SECOND, readMs: 120 * SECOND, updateMs: 900 * SECOND };

/**
 * Settings that were read longer ago than this are read again before a call. Usually, only the first call of an
 * operation can use the settings that its caller has read.
 */
const MAX_SETTINGS_AGE_MS = 100;

/**
 * Children from 6.2 on accept a signature twice within 20 seconds (protocol 3.3). So a refusal within this time does
 * not mean that a proxy delivered the call twice: an older call has used the same signature.
 */
const REPEATED_DELIVERY_MS = 20 * SECOND;

/** Maximum number of keys that a call tries. The site gets a new key each time it is reconnected during the call. */
const MAX_KEYS_A_CALL = 10;

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;

/** Thrown if no turn at the site begins because another process calls the site. Nothing was sent. */
class SiteBusyError extends Error {}

interface SiteCallerDeps {
  outbound: Outbound;
  scheduler: Scheduler;
  breaker: CircuitBreaker;
  channel: Channel;
  signer: SiteKeySigner;
  lookAtRules: () => Promise<void>;
  scheme: () => SignatureScheme;
  deadlines: Deadlines;
  dashboardVersion: string;
  logger: Logger;
}

interface UnsignedOptions {
  isChange?: boolean;
  signal?: AbortSignal | undefined;
  secrets?: readonly (string | null | undefined)[];
}

export class SiteCaller implements SignedCaller {
  readonly #deps: SiteCallerDeps;

  constructor(deps: SiteCallerDeps) {
    this.#deps = deps;
  }

  /**
   * Runs `work` in a turn at the site. `work` gets the target with the values that the record of the site has when the
   * turn begins. While another process calls the site, the call waits without a slot of the scheduler.
   */
  async scheduled<T, Target extends ChildTarget>(
    target: Target,
    kind: CallKind,
    work: (current: Target, signal?: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { breaker, scheduler, logger } = this.#deps;
    const { siteId, signal } = target;
    // A caller that asks only for this site, or connects it, needs its current state, so the circuit breaker does not
    // refuse the call.
    const insists = kind === 'register' || !target.oneOfMany;
    const refusal = siteId === null || insists ? null : breaker.errorFor(siteId);
    if (refusal) throw refusal;
    const startedAt = performance.now();
    if (startedAt - (target.rulesSeenAt ?? -Infinity) > MAX_SETTINGS_AGE_MS) await this.#deps.lookAtRules();
    const ipKey = await this.#addressOf(target);
    let begun: BegunTurn | undefined;
    const turn = {
      siteId,
      ipKey,
      kind,
      ignoresBreaker: insists,
      admit: async () => {
        target.onTurn?.();
        begun = await beginTurn(target);
      },
      run: async (aborted?: AbortSignal) => {
        try {
          return await work(currentTarget(target, begun), aborted);
        } finally {
          await begun?.lock?.release();
        }
      },
      ...(signal && { signal }),
    };
    try {
      return await this.#whileBusy(() => scheduler.schedule(turn));
    } catch (error) {
      const elapsedMs = Math.round(performance.now() - startedAt);
      logger.debug({ siteId, kind, ...errorFieldsForLog(error), elapsedMs }, 'call to a site failed');
      throw error;
    }
  }

  /**
   * Tries to begin a turn again while another process calls the site. Gives up after the deadline of an update, because
   * no call of another process takes longer.
   */
  async #whileBusy<T>(begin: () => Promise<T>): Promise<T> {
    let busySince: number | null = null;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return await begin();
      } catch (error) {
        if (!(error instanceof SiteBusyError)) throw error;
        busySince ??= performance.now();
        if (performance.now() - busySince > this.#deps.deadlines.updateMs) throw siteBusyError(error);
      }
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  }

  /**
   * Sends a call. If the site refuses the key of the call and has another key by now, sends the call again with that
   * key. A refused call has done nothing.
   */
  async signed(link: ChildLink, call: SignedCall): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#signedInTurn(link, call);
      } catch (error) {
        if (attempt === MAX_KEYS_A_CALL || !isKeyRefusal(error) || error.keyId === null) throw error;
        if (!(await link.turn?.hasOtherKey(error.keyId))) throw error;
      }
    }
  }

  #signedInTurn(target: ChildLink, call: SignedCall): Promise<unknown> {
    return this.scheduled(target, call.kind, async (link, signal) => {
      const scheme = call.scheme ?? this.#deps.scheme();
      const answer = await this.#post(link, { ...call, scheme }, signal);
      const error = parseChildError(answer, () => collectSecrets(link, call.secret));
      if (!error || call.isExpected?.(error)) return answer;
      const inquiry = {
        scheme,
        signed: (of: ChildLink, question: SignedCall) => this.#post(of, { scheme, ...question }, signal),
        unsigned: (of: ChildLink, fields: FormFields) => this.unsigned(of, fields, { signal }),
      };
      const refusal = await diagnoseRefusal(inquiry, link, error, call.toRefusal);
      if (isKeyRefusal(refusal)) refusal.keyId = link.keyId;
      throw refusal;
    });
  }

  /** Sends immediately. Use it only in the work of `scheduled`, which has a slot of the scheduler. */
  unsigned(target: ChildTarget, fields: FormFields, options: UnsignedOptions = {}): Promise<unknown> {
    const { channel, dashboardVersion, deadlines } = this.#deps;
    const { isChange = false, signal, secrets = [] } = options;
    return underLease(isChange ? target : null, (maySend) =>
      channel.post({
        target,
        fields: { ...fields, mainwpver: dashboardVersion },
        deadlineMs: deadlines.readMs,
        limits: STATE_RESPONSE_LIMITS,
        isRepeatable: true,
        withCookies: false,
        secrets: () => collectSecrets(target, ...secrets),
        maySend,
        signal,
      }),
    );
  }

  async #addressOf({ url, siteId }: ChildTarget): Promise<string> {
    const { outbound, breaker } = this.#deps;
    try {
      return (await outbound.resolve(url)).address;
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const unreachable = outboundErrorToChildError(error);
      if (siteId !== null && unreachable instanceof ChildUnreachableError) breaker.record(siteId, unreachable);
      throw unreachable;
    }
  }

  /**
   * Posts a call. If the child has already seen the signature, sends the call again with a fresh one. A changing call
   * that took long is not sent again: a proxy may have delivered it twice, so that the first delivery ran and only the
   * second was refused.
   */
  async #post(link: ChildLink, call: SignedCall, signal?: AbortSignal): Promise<unknown> {
    const { deadlines } = this.#deps;
    const deadlineMs = call.kind === 'update' ? deadlines.updateMs : deadlines.readMs;
    const startedAt = performance.now();
    const answer = await this.#postOnce(link, call, deadlineMs, signal);
    if (!isReplayRefusal(answer)) return answer;
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs >= deadlineMs || (!call.reads && elapsedMs >= REPEATED_DELIVERY_MS)) throw replayRefusedError('open');
    const second = await this.#postOnce(link, call, deadlineMs - elapsedMs, signal);
    if (isReplayRefusal(second)) throw replayRefusedError('not_run');
    return second;
  }

  #postOnce(link: ChildLink, call: SignedCall, deadlineMs: number, signal?: AbortSignal): Promise<unknown> {
    return underLease(call.reads ? null : link, (maySend) => this.#send(link, call, deadlineMs, signal, maySend));
  }

  #send(
    link: ChildLink,
    call: SignedCall,
    deadlineMs: number,
    signal?: AbortSignal,
    maySend?: () => boolean,
  ): Promise<unknown> {
    const { channel, signer, dashboardVersion } = this.#deps;
    const { functionName } = call;
    const scheme = call.scheme ?? this.#deps.scheme();
    return channel.post({
      target: link,
      fields: {
        user: link.admin,
        function: functionName,
        mainwpver: dashboardVersion,
        optimize: 0,
        ...call.fields,
        ...signatureSchemeFields(scheme),
      },
      async sign() {
        const nonce = makeNonce();
        const signature = call.hasWrongSignature
          ? makeWrongSignature()
          : await signer.sign(link, functionName, nonce, scheme);
        return { nonce, mainwpsignature: signature };
      },
      deadlineMs,
      limits: call.limits ?? STATE_RESPONSE_LIMITS,
      isRepeatable: call.reads,
      withCookies: call.withCookies ?? true,
      maySend,
      signal,
      secrets: () => collectSecrets(link, call.secret),
      onPreface: call.onPreface,
      isKnown: call.isKnown,
    });
  }
}

async function beginTurn({ turn, reads = false }: ChildTarget): Promise<BegunTurn | undefined> {
  const begun = await turn?.begin({ isExclusive: !reads });
  if (begun === null) throw new SiteBusyError();
  return begun;
}

function currentTarget<Target extends ChildTarget>(target: Target, begun?: BegunTurn): Target {
  const current = { ...target, ...begun?.current };
  const { lock } = begun ?? {};
  if (!lock) return current;
  const confirmLease = async (): Promise<() => boolean> => {
    const isLeased = await target.confirmLease?.();
    const isHeld = await lock.confirm();
    if (!isHeld) throw new SiteBusyError();
    return () => isHeld() && isLeased?.() !== false;
  };
  return { ...current, confirmLease };
}

const siteBusyError = (cause: SiteBusyError): ChildUnreachableError =>
  new ChildUnreachableError(
    'connect',
    'Nothing was sent, because another process of the service has been calling the site all the time.',
    {},
    { cause },
  );

/**
 * Confirms the lease of the caller right before a change is sent. If the lease may have expired before the request is
 * sent, for example because the process was suspended, the lease is confirmed again first. `target` is null for a call
 * that only reads.
 */
async function underLease<T>(target: ChildTarget | null, send: (maySend?: () => boolean) => Promise<T>): Promise<T> {
  for (;;) {
    const maySend = await target?.confirmLease?.();
    try {
      return await send(maySend);
    } catch (error) {
      if (!(error instanceof RequestWithheldError)) throw error;
    }
  }
}

function errorFieldsForLog(error: unknown): { code?: string; layer?: unknown; reason?: unknown } {
  return error instanceof DomainError
    ? { code: error.code, layer: error.data['layer'], reason: error.data['reason'] }
    : {};
}
