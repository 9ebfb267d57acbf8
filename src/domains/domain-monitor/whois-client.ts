import type { Outbound } from '../../outbound/outbound.ts';
import { LookupFault } from './lookup-fault.ts';
import type { WhoisAddress } from './whois-address.ts';

const MAX_BYTES = 64 * 1024;

/** Query syntax of servers that need it to return a domain record, or to answer in English. */
const QUERY_SYNTAX: Readonly<Record<string, (name: string) => string>> = {
  'whois.denic.de': (name) => `-T dn,ace ${name}`,
  'whois.jprs.jp': (name) => `${name}/e`,
  'whois.verisign-grs.com': (name) => `domain ${name}`,
};

export interface WhoisQueryOptions {
  deadlineMs: number;
  signal?: AbortSignal | undefined;
}

/** Sends one line to a WHOIS server (RFC 3912) and returns its reply. */
export async function queryWhois(
  outbound: Pick<Outbound, 'query'>,
  { host, port }: WhoisAddress,
  name: string,
  { deadlineMs, signal }: WhoisQueryOptions,
): Promise<string> {
  const question = QUERY_SYNTAX[host]?.(name) ?? name;
  const text = `${question}\r\n`;
  const reply = await outbound.query({ host, port, text, deadlineMs, maxBytes: MAX_BYTES, ...(signal && { signal }) });
  if (reply.length === 0)
    throw new LookupFault('parse_error', 'The registry closed the connection without a response.');
  return decodeWhoisReply(reply);
}

/** Decodes a reply. WHOIS does not declare a character set. A reply that is not UTF-8 is usually Latin-1. */
function decodeWhoisReply(reply: Buffer): string {
  const text = reply.toString('utf8');
  return text.includes('\ufffd') ? reply.toString('latin1') : text;
}
