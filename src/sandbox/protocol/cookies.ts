import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { User } from '../state/site-state.ts';

/**
 * This file creates the login cookies that the response to a signed request sets (protocol 0.10, 1.2): two new sessions
 * with three cookies each, unless the request has a valid cookie of the user. Sessions are not stored, because a cookie
 * can be verified without them. So 10,000 sites need no memory for sessions.
 */
const LIFETIME_SECONDS = 2 * 24 * 3600;

export interface CookieContext {
  siteUrl: string;
  basePath: string;
  secure: boolean;
  now: number;
}

export function loginCookies(user: User, context: CookieContext): string[] {
  return [...sessionCookies(user, context), ...sessionCookies(user, context)];
}

export function hasValidCookie(header: string | undefined, user: User, context: CookieContext): boolean {
  if (header === undefined) return false;
  const wanted = new Set([`wordpress_logged_in_${cookieNameSuffix(context)}`, authName(context)]);
  return header.split(';').some((pair) => {
    const at = pair.indexOf('=');
    return (
      at > 0 && wanted.has(pair.slice(0, at).trim()) && isValidCookieValue(pair.slice(at + 1).trim(), user, context)
    );
  });
}

function sessionCookies(user: User, context: CookieContext): string[] {
  const expires = Math.floor(context.now / 1000) + LIFETIME_SECONDS;
  const token = randomBytes(24).toString('base64url').replace(/[-_]/g, 'x');
  const value = [user.login, String(expires), token, cookieSignature(user, expires, token, context)].join('|');
  const flags = `${context.secure ? 'secure; ' : ''}HttpOnly`;
  const line = (name: string, path: string): string => `${name}=${encodeURIComponent(value)}; path=${path}; ${flags}`;
  return [
    line(authName(context), `${context.basePath}wp-content/plugins`),
    line(authName(context), `${context.basePath}wp-admin`),
    line(`wordpress_logged_in_${cookieNameSuffix(context)}`, context.basePath),
  ];
}

function isValidCookieValue(raw: string, user: User, context: CookieContext): boolean {
  let value: string;
  try {
    value = decodeURIComponent(raw);
  } catch {
    return false;
  }
  const [login, expires, token, signature] = value.split('|');
  if (login !== user.login || expires === undefined || token === undefined) return false;
  return Number(expires) * 1000 > context.now && signature === cookieSignature(user, Number(expires), token, context);
}

function cookieSignature(user: User, expires: number, token: string, context: CookieContext): string {
  return createHmac('sha256', `session ${context.siteUrl} ${user.password} ${user.sessionEpoch}`)
    .update(`${user.id}|${expires}|${token}`)
    .digest('hex');
}

function cookieNameSuffix(context: CookieContext): string {
  return createHash('md5').update(context.siteUrl).digest('hex');
}

function authName(context: CookieContext): string {
  return `wordpress_${context.secure ? 'sec_' : ''}${cookieNameSuffix(context)}`;
}
