import { pino, type Logger, type DestinationStream } from 'pino';

export type { Logger };

/** Names under which a secret could reach a log line; the value is replaced at any of the depths that we log. */
const SECRET_FIELDS = [
  'password',
  'admin_password',
  'http_pass',
  'authorization',
  'cookie',
  'set-cookie',
  'mainwpsignature',
  'regverify',
  'userpwd',
  'private_key',
  'privateKeyPem',
  'token',
  'secret',
  'unique_id',
];

const depths = (name: string): string[] => {
  const key = name.includes('-') ? `["${name}"]` : `.${name}`;
  return [key.replace(/^\./, ''), `*${key}`, `*.*${key}`];
};

/** Structured log, one JSON object a line. Secrets are never passed to it; the redaction is the second fence. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_FIELDS.flatMap(depths), censor: '[redacted]' },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination ? pino(options, destination) : pino(options);
}
