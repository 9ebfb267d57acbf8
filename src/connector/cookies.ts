import { Cookie, CookieJar } from 'tough-cookie';

/**
 * Cookies of the sites, in memory only: they are sessions of an administrator there (protocol 6). Without them every signed call
 * opens two new sessions on the child (0.10).
 */
export interface SiteCookies {
  headerFor(siteId: number | null, url: URL): string | null;
  keep(siteId: number | null, url: URL, setCookie: string | string[] | undefined): void;
  forget(siteId: number): void;
  readonly size: number;
}

const MAX_SITES = 10_000;
const MAX_PER_ANSWER = 20;
/** After so many the jar is begun anew: a site that sets another cookie with every answer must not fill our memory. */
const MAX_PER_JAR = 100;
const MAX_LENGTH = 4_096;

export function createSiteCookies(maxSites = MAX_SITES): SiteCookies {
  // Jars are kept as text, which takes a fraction of their memory: a large fleet has as many of them as sites.
  const jars = new Map<number, { host: string; text: string; count: number }>();

  return {
    headerFor(siteId, url) {
      const known = siteId === null ? undefined : jars.get(siteId);
      if (known?.host !== url.host) return null;
      return CookieJar.deserializeSync(known.text).getCookieStringSync(url.href) || null;
    },
    keep(siteId, url, setCookie) {
      const lines = typeof setCookie === 'string' ? [setCookie] : (setCookie ?? []);
      if (siteId === null || lines.length === 0) return;
      const known = jars.get(siteId);
      // A jar belongs to one host: when the site moved, what the old host gave is void.
      const goesOn = known?.host === url.host && known.count <= MAX_PER_JAR;
      const jar = goesOn
        ? CookieJar.deserializeSync(known.text)
        : new CookieJar(undefined, { rejectPublicSuffixes: false });
      let count = goesOn ? known.count : 0;
      for (const line of lines.slice(0, MAX_PER_ANSWER)) {
        const cookie = line.length <= MAX_LENGTH ? Cookie.parse(line) : undefined;
        if (!cookie || (cookie.domain !== null && cookie.domain !== url.hostname)) continue;
        cookie.domain = null;
        jar.setCookieSync(cookie, url.href, { ignoreError: true });
        count += 1;
      }
      jars.delete(siteId);
      jars.set(siteId, { host: url.host, text: JSON.stringify(jar.serializeSync()), count });
      if (jars.size > maxSites) jars.delete(jars.keys().next().value ?? 0);
    },
    forget: (siteId) => void jars.delete(siteId),
    get size() {
      return jars.size;
    },
  };
}
