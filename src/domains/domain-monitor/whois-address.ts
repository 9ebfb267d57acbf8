import { parseUrl } from '../../shared/url.ts';

export interface WhoisAddress {
  host: string;
  port: number;
}

const PORT = 43;

/** Parses the address of a WHOIS server: `whois.denic.de`, `whois.denic.de:4343` or an IP address. */
export function parseWhoisAddress(text: string): WhoisAddress | null {
  const [, host = '', port = String(PORT)] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(text.trim()) ?? [];
  const number = Number(port);
  if (host === '' || number < 1 || number > 65_535) return null;
  const hostname = parseUrl(`http://${host}/`)?.hostname;
  return hostname ? { host: hostname, port: number } : null;
}

/**
 * Parses the setting `whois_servers`: lines like `tld=host` or `tld=host:port`, where `*` stands for all other TLDs.
 */
export function parseWhoisServers(lines: readonly string[]): Map<string, WhoisAddress> {
  return new Map(
    lines.flatMap((line): [string, WhoisAddress][] => {
      const entry = whoisEntry(line);
      return entry ? [entry] : [];
    }),
  );
}

function whoisEntry(line: string): [tld: string, address: WhoisAddress] | null {
  const [, tld = '', server = ''] = /^\s*\.?([a-z0-9-]+(?:\.[a-z0-9-]+)*|\*)\s*=\s*(\S+)\s*$/i.exec(line) ?? [];
  const address = parseWhoisAddress(server);
  return tld === '' || !address ? null : [tld.toLowerCase(), address];
}
