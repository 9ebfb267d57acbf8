import { parseUrl } from '../../shared/url.ts';
import { parentZonesOf } from './domain-name.ts';
import { jsonFieldOf, isJsonObject, jsonItemsOf } from './json-reading.ts';

/** Base URLs of servers for RDAP, the successor of WHOIS, by TLD or by a zone below a TLD. */
export type RdapServers = ReadonlyMap<string, string>;

const MOST_SERVICES = 10_000;

/**
 * Parses the registry of RDAP servers (RFC 9224): `{services: [[["com", "net"], ["https://…/"]], …]}`. Prefers https
 * servers. Returns null for any other text.
 */
export function parseRdapBootstrap(text: string): RdapServers | null {
  const services = servicesIn(text);
  if (services === null) return null;
  const servers = new Map<string, string>();
  for (const service of services) {
    const [zones, addresses] = jsonItemsOf(service);
    const server = serverAmong(jsonItemsOf(addresses));
    if (server === null || !Array.isArray(zones)) continue;
    for (const zone of zones.slice(0, MOST_SERVICES) as unknown[])
      if (typeof zone === 'string' && ZONE.test(zone)) servers.set(zone.toLowerCase(), server);
  }
  return servers.size > 0 ? servers : null;
}

const ZONE = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,4}$/i;

function servicesIn(text: string): readonly unknown[] | null {
  try {
    const bootstrap: unknown = JSON.parse(text);
    const services = isJsonObject(bootstrap) ? jsonFieldOf(bootstrap, 'services') : null;
    return Array.isArray(services) ? (services.slice(0, MOST_SERVICES) as unknown[]) : null;
  } catch {
    return null;
  }
}

function serverAmong(addresses: readonly unknown[]): string | null {
  const urls = addresses.flatMap((each) => (typeof each === 'string' && each.length <= 500 ? [parseUrl(each)] : []));
  const usable = urls.filter((url) => url !== null && /^https?:$/.test(url.protocol) && url.search === '');
  const chosen = usable.find((url) => url?.protocol === 'https:') ?? usable[0];
  return chosen ? chosen.href.replace(/\/*$/, '/') : null;
}

export function rdapServerFor(servers: RdapServers, name: string): string | null {
  const zone = parentZonesOf(name).find((each) => servers.has(each));
  return zone === undefined ? null : (servers.get(zone) ?? null);
}
