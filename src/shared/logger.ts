import { pino, stdSerializers, type DestinationStream, type Logger } from 'pino';
import { LogOutput } from './log-output.ts';

export type { Logger };

/** Names under which a secret could reach a log line. Compared without case, dashes and underscores. */
const SECRET_NAMES = new Set([
  'password',
  'adminpassword',
  'httppass',
  'pass',
  'authorization',
  'cookie',
  'setcookie',
  'mainwpsignature',
  'signature',
  'regverify',
  'userpwd',
  'privatekey',
  'privatekeypem',
  'secret',
  'token',
  'apikey',
  'uniqueid',
]);
const CENSORED = '[redacted]';
const DEPTH = 5;

/**
 * Results of `isSecret` for the names of usual log lines. When the map is full, further names, such as those of hostile
 * objects, stay out.
 */
const isSecretByName = new Map<string, boolean>();
const MAX_NAMES = 1_000;

function isSecret(name: string): boolean {
  const known = isSecretByName.get(name);
  if (known !== undefined) return known;
  const secret = SECRET_NAMES.has(name.replace(/[-_]/g, '').toLowerCase());
  if (isSecretByName.size < MAX_NAMES) isSecretByName.set(name, secret);
  return secret;
}

/** Replaces values of secret fields. Most log lines have none: their object is returned without a copy. */
function redact(fields: Record<string, unknown>, depth = DEPTH): Record<string, unknown> {
  let copy: Record<string, unknown> | null = null;
  for (const name in fields) {
    const value = fields[name];
    const clean = isSecret(name) ? CENSORED : redactNestedValue(value, depth);
    if (clean === value) continue;
    copy ??= { ...fields };
    copy[name] = clean;
  }
  return copy ?? fields;
}

function redactNestedValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  if (depth === 0) return CENSORED;
  if (Array.isArray(value)) return value.map((item: unknown) => redactNestedValue(item, depth - 1));
  return redact(value as Record<string, unknown>, depth - 1);
}

function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return redactNestedValue(error, DEPTH);
  const { type, message, stack } = stdSerializers.err(error);
  const { code } = error as { code?: unknown };
  return { type, message, stack, ...(typeof code === 'string' ? { code } : {}) };
}

let stampedAt = 0;
let stamp = '';

/** Returns the same text as Pino's `isoTime`, but makes it only once per millisecond, which many lines share. */
function timestampField(): string {
  const now = Date.now();
  if (now !== stampedAt) {
    stampedAt = now;
    stamp = `,"time":"${new Date(now).toISOString()}"`;
  }
  return stamp;
}

let standardOutput: LogOutput | null = null;

/** Callers must not pass secrets. The redaction is a second safeguard. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: timestampField,
    serializers: { err: serializeError },
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: Record<string, unknown>) => redact(fields),
    },
  };
  return pino(
    options,
    destination ?? (level === 'silent' ? { write: () => undefined } : (standardOutput ??= new LogOutput(1))),
  );
}
