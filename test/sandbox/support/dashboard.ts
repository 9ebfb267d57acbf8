import { constants, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import qs from 'qs';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';

/** A minimal dashboard that does not use the connector, so that sandbox and connector are tested independently. */

const PUBLIC_KEY = { type: 'spki', format: 'pem' } as const;
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const publicKeyPem = pair.publicKey.export(PUBLIC_KEY) as string;
export const SERVER = 'https://dash.example/wp-admin/';

export interface ChildResponse {
  status: number;
  headers: http.IncomingHttpHeaders;
  cookies: string[];
  body: string;
  /** Content of the last frame, or undefined without a frame. */
  json: unknown;
}

export type Form = Record<string, unknown>;

interface SendOptions {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  ca?: string;
}

/** Sends one request on its own connection. */
export function send(url: string, body: string, options: SendOptions = {}): Promise<ChildResponse> {
  const target = new URL((options.path ?? '/wp-admin/admin-ajax.php').slice(1), url);
  const settings = {
    method: options.method ?? 'POST',
    agent: false,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...options.headers },
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  };
  return new Promise((resolve, reject) => {
    const request = (target.protocol === 'https:' ? https : http).request(target, settings, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('latin1');
        const { headers, statusCode: status = 0 } = response;
        resolve({ status, headers, cookies: headers['set-cookie'] ?? [], body: text, json: readFrame(text) });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

function readFrame(text: string): unknown {
  const frames = [...text.matchAll(/<mainwp>([A-Za-z0-9+/=]*)<\/mainwp>/g)];
  const last = frames[frames.length - 1]?.[1];
  if (last === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(last, 'base64').toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

export function encode(form: Form): string {
  return qs.stringify(form, { format: 'RFC1738', arrayFormat: 'indices' });
}

export function post(site: SimulatedSite, form: Form, options: SendOptions = {}): Promise<ChildResponse> {
  return send(site.url, encode(form), options);
}

export interface SigningOptions {
  algo?: number | undefined;
  pss?: boolean;
  nonce?: string;
  user?: string;
  key?: KeyObject;
}

const DIGESTS: Record<number, string> = { 1: 'sha1', 6: 'sha224', 7: 'sha256', 8: 'sha384', 9: 'sha512' };

export function signedForm(name: string, form: Form = {}, how: SigningOptions = {}): Form {
  const nonce = how.nonce ?? '1234';
  const algo = 'algo' in how ? how.algo : 7;
  const message = Buffer.from(name + nonce);
  const key = how.key ?? pair.privateKey;
  const signature = how.pss
    ? sign('sha256', message, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 })
    : sign(DIGESTS[algo ?? 1] ?? 'sha256', message, key);
  return {
    user: how.user ?? 'admin',
    function: name,
    nonce,
    mainwpver: '6.1.2',
    ...(how.pss ? { verifylib: 1 } : algo === undefined ? {} : { sign_algo: algo }),
    mainwpsignature: signature.toString('base64'),
    ...form,
  };
}

export function sendSigned(
  site: SimulatedSite,
  name: string,
  form: Form = {},
  how: SigningOptions = {},
): Promise<ChildResponse> {
  return post(site, signedForm(name, form, how));
}

/** Returns the response as an object, and fails if it is none. */
export async function callSigned(
  site: SimulatedSite,
  name: string,
  form: Form = {},
  how: SigningOptions = {},
): Promise<Form> {
  return requireObject((await sendSigned(site, name, form, how)).json);
}

export function requireObject(value: unknown): Form {
  if (typeof value !== 'object' || value === null) throw new Error(`no object but ${JSON.stringify(value)}`);
  return value as Form;
}

export function registration(site: SimulatedSite, form: Form = {}): Form {
  return {
    user: site.admin,
    function: 'register',
    mainwpver: '6.1.2',
    pubkey: publicKeyPem,
    server: SERVER,
    uniqueId: '',
    userpwd: site.adminPassword,
    ...form,
  };
}

export async function register(site: SimulatedSite, form: Form = {}): Promise<Form> {
  return requireObject((await post(site, registration(site, form))).json);
}

export const connectedState = (): { publicKeyPem: string; server: string; admin: string } => ({
  publicKeyPem,
  server: SERVER,
  admin: 'admin',
});

export const base64Json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

/** True if no response came in this time. The site's timers run in this process, so a busy machine delays both. */
export async function isPendingAfter(ms: number, answer: Promise<unknown>): Promise<boolean> {
  const silence = new Promise<boolean>((resolve) => setTimeout(resolve, ms, true));
  return Promise.race([answer.then(() => false), silence]);
}
