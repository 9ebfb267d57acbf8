import { parseUrl } from '../../shared/url.ts';
import { hasCriticalSentence, isMaintenancePage } from '../../shared/wordpress-pages.ts';

/** A page of a site as a visitor gets it. A status of 0 means no response. */
export interface PageReading {
  /** Path below the address of the site, such as `/about/`. It is empty for the home page. */
  path: string;
  status: number;
  /** Length of the body in bytes. */
  length: number;
  /** True if the page has the message of WordPress for a fatal error. Its status can be 200. */
  hasCriticalError: boolean;
  isTemporary: boolean;
}

const MAX_PATH = 300;
/** Matches paths that are not requested, because a request could change something or the path is not an HTML page. */
const NO_PAGE = /\/(?:wp-|xmlrpc|feed|logout|cart|checkout)|\.(?!html?$|php$)[a-z0-9]{2,5}$/i;
const LINK = /<a\s[^>]*?href\s*=\s*["']([^"'#\s]{1,2048})/gi;
/** Matches the error page of WordPress. Its class and ID are the same in every language, the sentence is English. */
const CRITICAL_ERROR = /There has been a critical error on|class="wp-die-message"|<body id="error-page"/i;

/**
 * True if a response says only that the site is busy or in maintenance: status 429, or 503 with a `Retry-After` or the
 * page of WordPress's maintenance mode. It proves nothing about the code of the site.
 */
export function isTemporaryResponse(status: number, retryAfter: string | undefined, html: string): boolean {
  if (hasCriticalSentence(html)) return false;
  return status === 429 || (status === 503 && (Boolean(retryAfter) || isMaintenancePage(html)));
}

export const hasCriticalError = (html: string): boolean => CRITICAL_ERROR.test(html);

export function linkedPaths(html: string, siteUrl: string, most: number): string[] {
  const site = new URL(siteUrl.endsWith('/') ? siteUrl : `${siteUrl}/`);
  const paths = new Set<string>();
  for (const [, href = ''] of html.matchAll(LINK)) {
    if (paths.size >= most) break;
    const url = parseUrl(href.replaceAll('&amp;', '&'), site.href);
    if (url?.host !== site.host || url.search !== '' || !url.pathname.startsWith(site.pathname)) continue;
    const path = url.pathname.slice(site.pathname.length - 1);
    if (path !== '/' && path.length <= MAX_PATH && !NO_PAGE.test(path)) paths.add(path);
  }
  return [...paths];
}
