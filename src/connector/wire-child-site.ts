import type { Outbound } from '../outbound/index.ts';
import { OutboundError } from '../outbound/index.ts';
import { SECOND, type Clock } from '../shared/clock.ts';
import {
  ChildBadAnswerError,
  ChildRefusedError,
  ChildUnreachableError,
  DomainError,
  InvalidError,
} from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { decodeItemAction } from './answers/actions.ts';
import { decodeRegistered } from './answers/registered.ts';
import { decodeChangesPage, decodeStats, tokenOf } from './answers/stats.ts';
import { asObject, field, isSlug, text } from './answers/values.ts';
import { createCircuitBreaker } from './breaker.ts';
import { createChannel } from './channel.ts';
import { contentCalls } from './content-calls.ts';
import { commentCalls } from './comment-calls.ts';
import type {
  ChildLink,
  ChildSite,
  ChildTarget,
  Endpoint,
  ItemActionAnswer,
  Registered,
  Registration,
} from './child-site.ts';
import {
  adminRefusal,
  brokenExchange,
  childErrorOf,
  keyMismatch,
  notConnected,
  notUnderstood,
  operationFailed,
  notAdmin,
  registerRefusal,
  unknownUser,
  type ChildError,
} from './classify.ts';
import { createSiteCookies } from './cookies.ts';
import { createEndpoints } from './endpoints.ts';
import { LIST_SIZE, STATE_SIZE, type AnswerSize } from './json-gauge.ts';
import type { CallKind, ConnectorLimits } from './limits.ts';
import { slashedPassword, type Fields } from './payload.ts';
import { createScheduler, type Scheduler, type SchedulerStats } from './scheduler.ts';
import { changesFields, registerFields, syncFields } from './requests.ts';
import { secretsOf } from './secrets.ts';
import { createSigner, makeNonce, SIGN_ALGO } from './signing.ts';
import { updateCalls } from './update-calls.ts';
import { userCalls } from './user-calls.ts';

export interface Deadlines {
  connectMs: number;
  readMs: number;
  updateMs: number;
}

export interface WireChildSiteOptions {
  outbound: Outbound;
  limits: () => ConnectorLimits;
  /** The dashboard version that is told to the child; it rules which registration it offers (protocol 1.3). */
  dashboardVersion: string;
  clock: Clock;
  logger: Logger;
  deadlines?: Partial<Deadlines>;
  /** Keeps on the record of a site at which of its addresses it answers. */
  rememberEndpoint?: (siteId: number, endpoint: Endpoint) => void;
}

export interface WireChildSite extends ChildSite {
  stats: ChildSite['stats'];
  /** What the scheduler holds at this moment. */
  schedulerStats(): SchedulerStats;
  /** For other calls that must keep to the same limits, as checks of web servers do. */
  readonly scheduler: Scheduler;
}

const DEADLINES: Deadlines = { connectMs: 10 * SECOND, readMs: 120 * SECOND, updateMs: 900 * SECOND };

interface SignedCall {
  kind: CallKind;
  functionName: string;
  fields?: Fields;
  /** Reading functions may be sent twice; changing ones never are. */
  reads: boolean;
  withCookies?: boolean;
  /** How large its answer may be; a state of the site, unless said. */
  size?: AnswerSize;
  /** A password that was sent and must not come back in the child's complaint. */
  secret?: string | undefined;
  /** Stands in for the true one. */
  signature?: string | undefined;
  /** What a complaint means when the signature was good; that the operation failed, unless said. */
  refused?: ((error: ChildError) => DomainError) | undefined;
  /** Is told what came before the frame of the answer. */
  onPreface?: ((html: string) => void) | undefined;
  /** A complaint that is as good as an answer: nothing more is asked about it. */
  expected?: ((error: ChildError) => boolean) | undefined;
}

/** Talks to real sites over the wire protocol of the child plugin. */
export function createChildSite(options: WireChildSiteOptions): WireChildSite {
  const { outbound, dashboardVersion, logger } = options;
  const deadlines = { ...DEADLINES, ...options.deadlines };
  const cookies = createSiteCookies();
  const endpoints = createEndpoints(options.rememberEndpoint ?? (() => undefined));
  const signer = createSigner();
  const breaker = createCircuitBreaker(options.clock);
  const scheduler = createScheduler({ limits: options.limits, breaker });
  const channel = createChannel({
    outbound,
    cookies,
    endpoints,
    dashboardVersion,
    connectTimeoutMs: deadlines.connectMs,
  });

  /** Gives `work` its turn. What it throws is a domain error; nothing of the request is in it. */
  async function inTurn<T>(
    target: ChildTarget,
    kind: CallKind,
    work: (signal?: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { siteId, signal } = target;
    // Whoever asks for this site alone, or connects it, wants to know how it is now.
    const insists = kind === 'register' || !target.oneOfMany;
    const refusal = siteId === null || insists ? null : breaker.refusal(siteId);
    if (refusal) throw refusal;
    const startedAt = performance.now();
    let address: string;
    try {
      address = (await outbound.resolve(target.url)).address;
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const unreachable = brokenExchange(error);
      if (siteId !== null && unreachable instanceof ChildUnreachableError) breaker.record(siteId, unreachable);
      throw unreachable;
    }
    try {
      return await scheduler.schedule({ siteId, ipKey: address, kind, insists, run: work, ...(signal && { signal }) });
    } catch (error) {
      const elapsedMs = Math.round(performance.now() - startedAt);
      const { code, layer, reason } = namesOf(error);
      logger.debug({ siteId, kind, code, layer, reason, elapsedMs }, 'call to a site failed');
      throw error;
    }
  }

  async function post(link: ChildLink, call: SignedCall, signal?: AbortSignal): Promise<unknown> {
    const nonce = makeNonce();
    const signature = call.signature ?? (await signer.sign(link, call.functionName, nonce));
    const fields: Fields = {
      user: link.admin,
      function: call.functionName,
      nonce,
      mainwpver: dashboardVersion,
      optimize: 0,
      ...call.fields,
      sign_algo: SIGN_ALGO,
      mainwpsignature: signature,
    };
    const deadlineMs = call.kind === 'update' ? deadlines.updateMs : deadlines.readMs;
    return channel.post({
      target: link,
      fields,
      deadlineMs,
      size: call.size ?? STATE_SIZE,
      repeatable: call.reads,
      withCookies: call.withCookies ?? true,
      signal,
      secrets: secretsOf(link, call.secret),
      onPreface: call.onPreface,
    });
  }

  function postUnsigned(
    target: ChildTarget,
    fields: Fields,
    signal?: AbortSignal,
    told: readonly (string | null | undefined)[] = [],
  ): Promise<unknown> {
    return channel.post({
      target,
      fields: { ...fields, mainwpver: dashboardVersion },
      deadlineMs: deadlines.readMs,
      size: STATE_SIZE,
      repeatable: true,
      withCookies: false,
      secrets: secretsOf(target, ...told),
      signal,
    });
  }

  function signed(link: ChildLink, call: SignedCall): Promise<unknown> {
    return inTurn(link, call.kind, async (signal) => {
      const answer = await post(link, call, signal);
      const error = childErrorOf(answer, secretsOf(link, call.secret));
      if (error && !call.expected?.(error)) throw await judge(link, error, call.refused, signal);
      return answer;
    });
  }

  /**
   * Says what an error to a signed call means. The refusals of a key and of a user have no code and are translated
   * (protocol 0.5), so the site is asked: whether we are still known, without a signature (5.3.3); then with a small
   * call that changes nothing, and where that is refused as well, with a wrong signature and in the name of nobody. The
   * child looks at the signature first, and has one sentence for each refusal: a working site must not be taken for a
   * lost one, nor an administrator that is gone for a lost key.
   */
  async function judge(
    link: ChildLink,
    error: ChildError,
    refused: (error: ChildError) => DomainError = operationFailed,
    signal?: AbortSignal,
  ): Promise<Error> {
    const admin = adminRefusal(error);
    if (admin) return admin;
    const byCode = error.code === 'PARSE_ERROR1' || error.code === 'PARSE_ERROR2';
    if (error.code !== null && !byCode) return operationFailed(error);
    const hello = asObject(await postUnsigned(link, { user: link.admin, function: 'stats' }, signal));
    if (text(field(hello, 'version'), 64) !== '') return notConnected(error);
    if (childErrorOf(hello) === null) return notUnderstood(true);
    if (error.authentication || byCode) return keyMismatch(error);
    const said = async (user: string, signature?: string): Promise<ChildError | null> =>
      childErrorOf(await post({ ...link, admin: user }, { ...KEY_CHECK, signature }, signal), secretsOf(link));
    const ofUs = await said(link.admin);
    if (ofUs === null) return refused(error);
    const ofKey = await said(link.admin, WRONG_SIGNATURE);
    if (ofKey === null) return notUnderstood(true);
    if (ofKey.sentence === ofUs.sentence) return keyMismatch(error);
    const ofNobody = await said(`nobody-${makeNonce()}`);
    return ofNobody?.sentence === ofUs.sentence ? unknownUser(ofUs) : notAdmin(ofUs);
  }

  async function itemAction(
    link: ChildLink,
    kind: 'plugin' | 'theme',
    action: string,
    slugs: readonly string[],
  ): Promise<ItemActionAnswer> {
    if (slugs.length === 0 || !slugs.every(isSlug)) {
      throw new InvalidError(
        'ability_invalid_input',
        `A ${kind} is named by its slug, without commas, bars or control characters.`,
      );
    }
    const fields = { action, [kind]: slugs.join('||') };
    const answer = await signed(link, { kind: 'action', functionName: `${kind}_action`, fields, reads: false });
    const decoded = decodeItemAction(answer, kind);
    if (!decoded) throw notUnderstood(true);
    return decoded;
  }

  async function register(target: ChildTarget, registration: Registration, signal?: AbortSignal): Promise<Registered> {
    const { password } = registration;
    const told = [password, registration.uniqueId, registration.regverify];
    let answer = await postUnsigned(target, registerFields(registration, password), signal, told);
    const slashed = password === null ? null : slashedPassword(password);
    if (slashed !== null && childErrorOf(answer)?.code === 'REG_ERROR7') {
      answer = await postUnsigned(target, registerFields(registration, slashed), signal, told);
    }
    const error = childErrorOf(answer, secretsOf(target, ...told));
    if (error) throw registerRefusal(error, password !== null);
    const registered = decodeRegistered(answer);
    if (!registered) throw notUnderstood(true);
    return registered;
  }

  return {
    scheduler,
    schedulerStats: () => scheduler.stats(),

    probe(target, admin) {
      return inTurn(target, 'register', async (signal) => {
        let hello;
        try {
          hello = asObject(await postUnsigned(target, { user: admin, function: 'stats' }, signal));
        } catch (error) {
          if (error instanceof ChildRefusedError && error.reason === 'plugin_missing')
            return { state: 'plugin_missing' };
          throw error;
        }
        const childVersion = text(field(hello, 'version'), 64);
        if (childVersion !== '') {
          return { state: 'unconnected', childVersion, wpVersion: text(field(hello, 'wpversion'), 64) };
        }
        if (childErrorOf(hello)) return { state: 'connected' };
        throw notUnderstood(false);
      });
    },

    async register(target, registration) {
      const registered = await inTurn(target, 'register', (signal) => register(target, registration, signal));
      // Sessions of the connection before this one are void.
      if (target.siteId !== null) cookies.forget(target.siteId);
      return registered;
    },

    async verifyKey(link) {
      try {
        const answer = asObject(await signed(link, { ...KEY_CHECK, kind: 'register' }));
        // Anything may stand between us and the site: only the list that was asked for proves that the child took the
        // key.
        if (!Array.isArray(field(answer, 'data'))) throw notUnderstood(false);
        return true;
      } catch (error) {
        if (error instanceof ChildRefusedError && (error.reason === 'key_mismatch' || error.reason === 'not_connected'))
          return false;
        // The function table is only reached with a good signature (protocol 3.2).
        if (error instanceof ChildBadAnswerError && error.data['child_code'] === 'child_plugin_incompatible')
          return true;
        throw error;
      }
    },

    async stats(link, request) {
      const fields = syncFields(link.server, request);
      const answer = await signed(link, { kind: 'sync', functionName: 'stats', fields, reads: true });
      const stats = decodeStats(answer, request);
      if (!stats) throw notUnderstood(false);
      return stats;
    },

    async changes(link, window, limit) {
      const fields = changesFields(window, limit);
      const page = decodeChangesPage(
        await signed(link, { kind: 'sync', functionName: 'stats', fields, reads: true }),
        limit,
      );
      if (!page) throw notUnderstood(false);
      return page;
    },

    async renewToken(link) {
      const fields = { sync_regverify: 1 };
      const answer = await signed(link, {
        kind: 'register',
        functionName: 'stats',
        fields,
        reads: true,
        withCookies: false,
      });
      if (asObject(answer) === null) throw notUnderstood(false);
      return tokenOf(field(asObject(answer), 'regverify_info'));
    },

    pluginAction: (link, action, slugs) => itemAction(link, 'plugin', action, slugs),
    themeAction: (link, action, slugs) => itemAction(link, 'theme', action, slugs),
    ...updateCalls((link, call) => signed(link, { ...call, kind: 'update', reads: false })),
    ...contentCalls((link, functionName, fields, options) =>
      signed(link, { kind: 'action', size: LIST_SIZE, functionName, fields, ...options }),
    ),
    ...commentCalls((link, call) => signed(link, { kind: 'action', size: LIST_SIZE, ...call })),
    ...userCalls((link, call) => signed(link, { kind: 'action', size: LIST_SIZE, ...call })),

    async disconnect(link) {
      const answer = await signed(link, { kind: 'register', functionName: 'disconnect', reads: false });
      if (field(asObject(answer), 'result') !== 'success') throw notUnderstood(true);
      if (link.siteId !== null) cookies.forget(link.siteId);
    },

    async deactivate(link) {
      const answer = await signed(link, { kind: 'action', functionName: 'deactivate', reads: false });
      if (field(asObject(answer), 'deactivated') !== true) throw notUnderstood(true);
      if (link.siteId !== null) cookies.forget(link.siteId);
    },

    revive: (siteId) => breaker.forget(siteId),

    forget(siteId) {
      cookies.forget(siteId);
      endpoints.forget(siteId);
      breaker.forget(siteId);
      signer.forget(siteId);
    },
  };
}

/** Of the right length, and of no key. */
const WRONG_SIGNATURE = Buffer.alloc(256, 1).toString('base64');

/** A small signed call that changes nothing and is known to every version (protocol 4.2). */
const KEY_CHECK: SignedCall = {
  kind: 'action',
  functionName: 'get_all_plugins',
  fields: { filter: 1, status: 'active', keyword: 'mainwp' },
  reads: true,
};

function namesOf(error: unknown): { code?: string; layer?: unknown; reason?: unknown } {
  return error instanceof DomainError
    ? { code: error.code, layer: error.data['layer'], reason: error.data['reason'] }
    : {};
}
