import { parseUrl } from './url.ts';

/** The mail server of the operator, as `SMTP_URL` names it. */
export interface SmtpTarget {
  host: string;
  port: number;
  /** TLS from the first byte on (`smtps://`); else STARTTLS is used wherever the server offers it. */
  secure: boolean;
  /** `?starttls=required`: rather no mail than one in clear. */
  requireTls: boolean;
  /** False with `?verify=no`, for a server that signs its own certificate. */
  verify: boolean;
  login: { user: string; password: string } | null;
}

const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  starttls: ['offered', 'required'],
  verify: ['yes', 'no'],
};

/** Null for a text that names no mail server, or an option that there is not. */
export function smtpTarget(text: string): SmtpTarget | null {
  const url = parseUrl(text);
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || !/^\/?$/.test(url.pathname)) return null;
  for (const [name, value] of url.searchParams) if (!OPTIONS[name]?.includes(value)) return null;
  const secure = url.protocol === 'smtps:';
  const [user, password] = [decoded(url.username), decoded(url.password)];
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

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
