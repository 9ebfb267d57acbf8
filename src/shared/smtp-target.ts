import { parseUrl } from './url.ts';

export interface SmtpTarget {
  host: string;
  port: number;
  /** True for `smtps://`: TLS from the first byte. Otherwise STARTTLS is used if the server offers it. */
  secure: boolean;
  /** True for `?starttls=required`: no mail is sent over an unencrypted connection. */
  requireTls: boolean;
  /** False for `?verify=no`: the server's certificate is not checked. Meant for self-signed certificates. */
  verify: boolean;
  login: { user: string; password: string } | null;
}

const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  starttls: ['offered', 'required'],
  verify: ['yes', 'no'],
};

export function parseSmtpUrl(text: string): SmtpTarget | null {
  const url = parseUrl(text);
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || !/^\/?$/.test(url.pathname)) return null;
  for (const [name, value] of url.searchParams) if (!OPTIONS[name]?.includes(value)) return null;
  const secure = url.protocol === 'smtps:';
  const [user, password] = [decodeUrlPart(url.username), decodeUrlPart(url.password)];
  if (user === null || password === null) return null;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTls: url.searchParams.get('starttls') === 'required',
    verify: url.searchParams.get('verify') !== 'no',
    login: user === '' ? null : { user, password },
  };
}

function decodeUrlPart(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
