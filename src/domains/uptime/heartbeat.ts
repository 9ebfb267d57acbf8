import { DAY, SECOND } from '../../shared/clock.ts';
import { ATTEMPT_FINDINGS, isUp, describeAttempt, type CheckAttempt } from './check-attempt.ts';
import type { CheckedState } from './monitor-state.ts';

export interface Heartbeat {
  /** Whole seconds, in milliseconds since 1970. Unique for each monitor. */
  at: number;
  state: CheckedState;
  isChange: boolean;
  /** Set if this service was updating the site, and the site answered with 503. */
  isDuringUpdate?: true;
  attempts: readonly CheckAttempt[];
}

export function decisiveAttempt({ attempts }: Pick<Heartbeat, 'attempts'>): CheckAttempt {
  const last = attempts.at(-1);
  if (!last) throw new Error('A heartbeat has an attempt.');
  return last;
}

export function describeHeartbeat(beat: Heartbeat): string {
  const sentence = describeAttempt(decisiveAttempt(beat));
  if (beat.state === 'pending' && beat.isDuringUpdate)
    return `${sentence} This service is updating the site, so the first check after the update decides.`;
  if (beat.state === 'pending') return `${sentence} This is the first failed check, so the next check decides.`;
  if (beat.state === 'up') return beat.attempts.length > 1 ? `${sentence} The previous check failed.` : sentence;
  if (!beat.isChange) return `${sentence} The site is still down.`;
  return beat.attempts.length > 1
    ? `${sentence} The confirmation check failed too.`
    : `${sentence} This is the second failed check in a row.`;
}

export const dayNumberOf = (at: number): number => Math.floor(at / DAY);

/**
 * Format of a packed heartbeat: `<second of the day>,<state and flags>|<attempt>…`. Format of an attempt:
 * `<finding>,<status>,<total>,<DNS>,<connect>,<TLS>,<first byte>,<address>`, with times in milliseconds. Numbers have
 * base 36; an empty number is null. The address is `@` and the address, `-` if there is none, or empty if it is the
 * last one before it in the text. With 10,000 monitors and a check every five minutes, one row per check would be three
 * million rows per day. So there is one text per monitor and day, in which `;` separates the heartbeats.
 */
const STATES: readonly CheckedState[] = ['down', 'up', 'pending'];
const CHANGE = 4;
const DURING_UPDATE = 8;
const SAME = '';
const NONE = '-';

const toBase36 = (value: number | null): string => (value === null ? '' : value.toString(36));
const fromBase36 = (text: string | undefined): number | null =>
  text === undefined || text === '' ? null : Number.parseInt(text, 36);

function packHeartbeat(beat: Heartbeat, before = ''): string {
  let address = lastPackedAddress(before);
  const attempts = beat.attempts.map((attempt) => {
    const numbers = [attempt.status, attempt.totalMs, attempt.dnsMs, attempt.connectMs, attempt.tlsMs];
    const place = attempt.address === null ? NONE : attempt.address === address ? SAME : `@${attempt.address}`;
    address = attempt.address ?? address;
    return [
      toBase36(ATTEMPT_FINDINGS.indexOf(attempt.finding)),
      ...[...numbers, attempt.firstByteMs].map(toBase36),
      place,
    ].join(',');
  });
  const flags = (beat.isChange ? CHANGE : 0) + (beat.isDuringUpdate ? DURING_UPDATE : 0);
  const head = [(beat.at % DAY) / SECOND, STATES.indexOf(beat.state) + flags];
  return [head.map(toBase36).join(','), ...attempts].join('|');
}

export const appendBeat = (before: string, beat: Heartbeat): string =>
  before === '' ? packHeartbeat(beat) : `${before};${packHeartbeat(beat, before)}`;

export function unpackHeartbeatsOfDay(day: number, text: string): Heartbeat[] {
  if (text === '') return [];
  let address: string | null = null;
  const parseAttempt = (attempt: string): CheckAttempt => {
    const [finding, status, totalMs, dnsMs, connectMs, tlsMs, firstByteMs, place = NONE] = attempt.split(',');
    if (place.startsWith('@')) address = place.slice(1);
    return {
      finding: ATTEMPT_FINDINGS[fromBase36(finding) ?? 0] ?? 'reset',
      status: fromBase36(status) ?? 0,
      totalMs: fromBase36(totalMs) ?? 0,
      dnsMs: fromBase36(dnsMs),
      connectMs: fromBase36(connectMs),
      tlsMs: fromBase36(tlsMs),
      firstByteMs: fromBase36(firstByteMs),
      address: place === NONE ? null : address,
    };
  };
  return text.split(';').map((beat) => {
    const [head = '', ...attempts] = beat.split('|');
    const [second, flags] = head.split(',').map(fromBase36);
    return {
      at: day * DAY + (second ?? 0) * SECOND,
      state: STATES[(flags ?? 0) % CHANGE] ?? 'down',
      isChange: ((flags ?? 0) & CHANGE) !== 0,
      ...(((flags ?? 0) & DURING_UPDATE) !== 0 && { isDuringUpdate: true as const }),
      attempts: attempts.map(parseAttempt),
    };
  });
}

function lastPackedAddress(text: string): string | null {
  const from = text.lastIndexOf('@');
  return from === -1 ? null : (/^[^;|,]+/.exec(text.slice(from + 1))?.[0] ?? null);
}

export const packHeartbeatWithDay = (beat: Heartbeat): string =>
  `${toBase36(dayNumberOf(beat.at))}:${packHeartbeat(beat)}`;

export function unpackHeartbeatWithDay(text: string): Heartbeat {
  const split = text.indexOf(':');
  const [beat] = unpackHeartbeatsOfDay(fromBase36(text.slice(0, split)) ?? 0, text.slice(split + 1));
  if (!beat) throw new Error('A packed heartbeat is empty.');
  return beat;
}

export function responseTimeOf(beat: Heartbeat): number | null {
  const attempt = decisiveAttempt(beat);
  return isUp(attempt) ? attempt.totalMs : null;
}
