import { join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import type { DatabaseTarget } from '../db/database.ts';
import { parseSealingKey } from '../db/sealing.ts';
import { normalizeMailAddress } from '../shared/mail-address.ts';
import { parseMailbox, type Mailbox } from '../shared/mailbox.ts';
import { parseSmtpUrl, type SmtpTarget } from '../shared/smtp-target.ts';
import { StartupError } from '../shared/startup-error.ts';
import { parseUrl } from '../shared/url.ts';

/** Only this file reads environment variables. */
export interface Config {
  host: string;
  port: number;
  /** Absolute URLs in responses start with it. Has no trailing slash. */
  publicUrl: string;
  /** False if `publicUrl` is made of `host` and `port`. */
  isPublicUrlSet: boolean;
  dataDir: string;
  database: DatabaseTarget;
  /** Null if the key is in a file beside the embedded database. */
  secretKey: Buffer | null;
  preset: { adminUser: string; adminPassword: string | null; apiKey: string | null };
  allowedNetworks: string[];
  /** Value of Express's `trust proxy`: the number of proxies in front of the service, or their networks. */
  trustProxy: number | string[] | false;
  corsOrigins: string[];
  loginFailureLimit: number;
  /** Calls per minute and credential. 0 turns the limit off. */
  rateLimit: number;
  inlineDeadlineMs: number;
  /** Maximum number of characters in one response to an MCP client. */
  mcpOutputLimit: number;
  /** Duration of a lease. If a process dies, another process takes over its jobs when their leases have ended. */
  leaseMs: number;
  /** Folder from which feeds can be read as files. Null allows no files. */
  feedDir: string | null;
  packages: PackageConfig;
  /** Null if mails are stored but not sent. */
  smtp: SmtpTarget | null;
  mailFrom: Mailbox;
  audits: AuditConfig;
  responseChecks: 'refuse' | 'log' | 'off';
  /** True if the URL layout of MainWP Dashboard is served too. */
  compat: boolean;
  logLevel: string;
}

export interface PackageConfig {
  /** Folder with the stored packages (zips). Processes on several machines need a shared folder. */
  folder: string;
  /** Base URL for downloads of plugins and themes from WordPress.org, without a trailing slash. */
  directoryUrl: string;
  quotaBytes: number;
}

export interface AuditConfig {
  pagespeedUrl: string;
  /** Executable of the browser that audits pages and prints PDF. Null searches the usual places. */
  chromePath: string | null;
  chromeSandbox: boolean;
  systemPath: string;
}

const PAGESPEED_URL = 'https://www.googleapis.com/pagespeedonline/v5/runPagespeed';

const DIRECTORY_URL = 'https://downloads.wordpress.org';

class ConfigError extends StartupError {
  override readonly name = 'ConfigError';
}

type Environment = Record<string, string | undefined>;

const MIN_PRESET_LENGTH = 24;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export function readConfig(env: Environment = process.env): Config {
  const host = env['HOST'] || '127.0.0.1';
  const port = readInteger(env, 'PORT', 8080, 0, 65_535);
  const dataDir = resolve(env['SITEFLEET_DATA_DIR'] || './data');
  const database = databaseTarget(env, dataDir);
  const reachedAt = publicUrl(env, host, port);
  const smtp = mailServer(env);
  return {
    host,
    port,
    publicUrl: reachedAt,
    isPublicUrlSet: Boolean(env['SITEFLEET_PUBLIC_URL']),
    dataDir,
    database,
    secretKey: secretKey(env, database),
    preset: {
      adminUser: env['SITEFLEET_ADMIN_USER'] || 'admin',
      adminPassword: readPresetSecret(env, 'SITEFLEET_ADMIN_PASSWORD'),
      apiKey: readPresetSecret(env, 'SITEFLEET_API_KEY'),
    },
    allowedNetworks: splitWords(env['SITEFLEET_ALLOWED_NETWORKS']),
    trustProxy: trustProxy(env['SITEFLEET_TRUST_PROXY']),
    corsOrigins: splitWords(env['SITEFLEET_CORS_ORIGINS']),
    loginFailureLimit: readInteger(env, 'SITEFLEET_LOGIN_FAILURE_LIMIT', 20, 0, 1_000_000),
    rateLimit: readInteger(env, 'SITEFLEET_RATE_LIMIT', 0, 0, 10_000_000),
    inlineDeadlineMs: readInteger(env, 'SITEFLEET_INLINE_DEADLINE', 300, 1, 3_600) * 1000,
    mcpOutputLimit: readInteger(env, 'SITEFLEET_MCP_OUTPUT_LIMIT', 25_000, 1_000, 1_000_000),
    leaseMs: readInteger(env, 'SITEFLEET_LEASE', 30, 5, 3_600) * 1000,
    feedDir: env['SITEFLEET_FEED_DIR'] ? resolve(env['SITEFLEET_FEED_DIR']) : null,
    packages: {
      folder: resolve(env['SITEFLEET_PACKAGES_DIR'] || join(dataDir, 'packages')),
      directoryUrl: readWebUrl(env, 'SITEFLEET_DIRECTORY_URL', DIRECTORY_URL).replace(/\/+$/, ''),
      quotaBytes: readInteger(env, 'SITEFLEET_PACKAGES_MEGABYTES', 5_000, 100, 10_000_000) * 1024 * 1024,
    },
    smtp,
    mailFrom: mailFrom(env, smtp, reachedAt),
    audits: {
      pagespeedUrl: readWebUrl(env, 'SITEFLEET_PAGESPEED_URL', PAGESPEED_URL),
      chromePath: env['CHROME_PATH'] || null,
      // Chromium refuses to start as root with its sandbox on.
      chromeSandbox: oneOf(env, 'SITEFLEET_CHROME_SANDBOX', ['on', 'off'], 'on') === 'on' && process.getuid?.() !== 0,
      systemPath: env['PATH'] || '/usr/local/bin:/usr/bin:/bin',
    },
    responseChecks: oneOf(env, 'SITEFLEET_RESPONSE_CHECKS', ['refuse', 'log', 'off'], 'off'),
    compat: oneOf(env, 'SITEFLEET_COMPAT', ['on', 'off'], 'on') === 'on',
    logLevel: oneOf(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
  };
}

export interface ClientConfig {
  url: string;
  authorization: string;
  mcpTools: 'search' | 'all';
}

export function readClientConfig(env: Environment = process.env): ClientConfig {
  const url = readWebUrl(env, 'SITEFLEET_URL', 'http://127.0.0.1:8080').replace(/\/+$/, '');
  const mcpTools = oneOf(env, 'SITEFLEET_MCP_TOOLS', ['search', 'all'], 'search');
  const { SITEFLEET_KEY: key, SITEFLEET_USER: user, SITEFLEET_PASSWORD: password } = env;
  if (key) return { url, authorization: `Bearer ${key}`, mcpTools };
  if (!user || !password) throw new ConfigError('SITEFLEET_KEY is required, or SITEFLEET_USER and SITEFLEET_PASSWORD.');
  return { url, authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`, mcpTools };
}

function databaseTarget(env: Environment, dataDir: string): DatabaseTarget {
  const timeoutMs = readInteger(env, 'SITEFLEET_DATABASE_TIMEOUT', 10, 1, 3_600) * 1000;
  const url = env['DATABASE_URL'];
  if (!url) return { dialect: 'sqlite', file: join(dataDir, 'sitefleet.db'), timeoutMs };
  if (!/^(mysql|mariadb):\/\/[^/]+\/[^/?]+/.test(url) || !parseUrl(url))
    throw new ConfigError('DATABASE_URL must look like mysql://user:password@host:3306/name.');
  return { dialect: 'mysql', url, timeoutMs };
}

/**
 * Returns the key from the environment, or null. The embedded database has a key file. With a database server, the
 * setting is required, because otherwise each process would create its own key.
 */
function secretKey(env: Environment, database: DatabaseTarget): Buffer | null {
  const secretKeyText = env['SITEFLEET_SECRET_KEY'];
  if (secretKeyText) return parseSealingKey(secretKeyText, 'SITEFLEET_SECRET_KEY');
  if (database.dialect === 'mysql')
    throw new ConfigError('SITEFLEET_SECRET_KEY (32 bytes in base64) is required with DATABASE_URL.');
  return null;
}

function readPresetSecret(env: Environment, name: string): string | null {
  const value = env[name];
  if (!value) return null;
  if (value.replace(/\s/g, '').length < MIN_PRESET_LENGTH)
    throw new ConfigError(`${name} must have at least ${MIN_PRESET_LENGTH} characters.`);
  return value;
}

function publicUrl(env: Environment, host: string, port: number): string {
  const publicUrlText = env['SITEFLEET_PUBLIC_URL'];
  if (!publicUrlText) return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (!/^https?:$/.test(parseUrl(publicUrlText)?.protocol ?? ''))
    throw new ConfigError('SITEFLEET_PUBLIC_URL must be an http or https URL.');
  return publicUrlText.replace(/\/+$/, '');
}

function readWebUrl(env: Environment, name: string, fallback: string): string {
  const address = env[name] || fallback;
  if (!/^https?:$/.test(parseUrl(address)?.protocol ?? ''))
    throw new ConfigError(`${name} must be an http or https URL.`);
  return address;
}

function mailServer(env: Environment): SmtpTarget | null {
  const text = env['SMTP_URL'];
  if (!text) return null;
  const target = parseSmtpUrl(text);
  // The value can contain a password, so the message does not repeat it.
  if (!target)
    throw new ConfigError('SMTP_URL must look like smtp://user:password@host:587 or smtps://user:password@host:465.');
  return target;
}

/** Returns the sender of mails. Most mail servers only accept the logged-in user, so that user is the default. */
function mailFrom(env: Environment, smtp: SmtpTarget | null, reachedAt: string): Mailbox {
  const text = env['SMTP_FROM'];
  if (!text) {
    const login = normalizeMailAddress(smtp?.login?.user ?? '');
    return { name: '', address: login ?? `sitefleet@${mailDomain(reachedAt)}` };
  }
  const mailbox = parseMailbox(text);
  if (!mailbox)
    throw new ConfigError(
      'SMTP_FROM must be an e-mail address, or a name and an address such as "Agency" <mail@example.com>. ' +
        'Put a name that contains a comma or other punctuation in quotes.',
    );
  return mailbox;
}

/** An IP address cannot be a mail domain. */
function mailDomain(reachedAt: string): string {
  const { hostname } = new URL(reachedAt);
  return /[a-z]/i.test(hostname) && !hostname.startsWith('[') ? hostname : 'localhost';
}

/** Names of networks that Express knows. */
const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

/** Accepts what Express accepts: a name, an address, or an address with a prefix above 0 or a netmask. */
function isProxyNetwork(text: string): boolean {
  const [address = '', mask, ...rest] = text.split('/');
  if (NAMED_NETWORKS.includes(text) || ipaddr.isValid(text)) return true;
  if (mask === undefined || rest.length > 0 || !ipaddr.isValid(address)) return false;
  return ipaddr.isValidCIDR(text) ? Number(mask) > 0 : ipaddr.IPv4.isValidFourPartDecimal(mask);
}

function trustProxy(value: string | undefined): Config['trustProxy'] {
  if (!value || Number(value) === 0) return false;
  if (/^\d+$/.test(value)) return Number(value);
  const proxies = splitWords(value);
  for (const proxy of proxies)
    if (!isProxyNetwork(proxy))
      throw new ConfigError(
        `SITEFLEET_TRUST_PROXY must be a number of proxies, or addresses and networks such as 10.0.0.0/8. Not: ${proxy}`,
      );
  return proxies;
}

function splitWords(value: string | undefined): string[] {
  return (value ?? '')
    .split(/[\s,]+/)
    .map((part) => part.trim())
    .filter(Boolean);
}

function readInteger(env: Environment, name: string, fallback: number, min: number, max: number): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max)
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}.`);
  return value;
}

function oneOf<T extends string>(env: Environment, name: string, allowed: readonly T[], fallback: T): T {
  const value = env[name];
  if (!value) return fallback;
  if (!allowed.includes(value as T)) throw new ConfigError(`${name} must be one of ${allowed.join(', ')}.`);
  return value as T;
}
