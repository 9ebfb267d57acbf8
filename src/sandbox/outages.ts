import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { CRITICAL_ERROR, frontPage, type HttpPage } from './pages.ts';

/**
 * Responses of the web server or of WordPress itself, sent before the child plugin runs. The body depends on the path
 * and on `Accept`: admin-ajax.php prints plain text, the front page returns JSON if the client accepts it, or else an
 * HTML page.
 */
export type Outage =
  /** The web server blocks admin-ajax.php but not the front page. */
  | { kind: 'closed-ajax'; status?: 301 | 401 | 403 | 404 | 405 | 429 }
  | { kind: 'maintenance' }
  /** The database does not exist, or it rejects the password. */
  | { kind: 'database'; because: 'missing' | 'refused' }
  | { kind: 'not-installed' }
  | { kind: 'php-down' }
  /** The web server rejects a body of more than `bytes`, or PHP discards its fields. */
  | { kind: 'too-large'; bytes: number; by: 'server' | 'php' }
  | { kind: 'no-wordpress'; subfolder?: boolean };

export const AJAX_PATH = '/wp-admin/admin-ajax.php';

const INSTALL_PATH = '/wp-admin/install.php';

export const WORDPRESS_HEADERS = {
  'content-type': 'text/html; charset=UTF-8',
  'cache-control': 'no-cache, must-revalidate, max-age=0, no-store, private',
};
const SERVER = { 'content-type': 'text/html' };

export interface PageVisit {
  request: IncomingMessage;
  path: string;
  bytes: number;
  title: string;
  siteUrl: string;
}

export function outagePage(outage: Outage, asked: PageVisit): HttpPage | undefined {
  const { request, path, bytes, siteUrl } = asked;
  const isAjax = path === AJAX_PATH;
  const isPost = request.method === 'POST';
  switch (outage.kind) {
    case 'closed-ajax':
      return isAjax ? closedAjaxPage(outage.status ?? 403, siteUrl) : undefined;
    case 'maintenance':
      return wpDie(asked, 503, { text: MAINTENANCE_TEXT, title: 'Maintenance' }, { 'retry-after': '600' });
    case 'database':
      return noDatabase(asked, outage.because);
    case 'not-installed':
      if (path === INSTALL_PATH) return wpDieHtmlPage(200, 'WordPress &rsaquo; Installation', '', {});
      return {
        status: 302,
        headers: { ...WORDPRESS_HEADERS, location: siteUrl + INSTALL_PATH },
        body: '',
      };
    case 'php-down':
      return serverErrorPage(502);
    case 'too-large':
      if (!isPost || bytes <= outage.bytes) return undefined;
      if (outage.by === 'server') return serverErrorPage(413);
      return isAjax
        ? { status: 400, headers: WORDPRESS_HEADERS, body: '0' }
        : { status: 200, headers: { 'content-type': WORDPRESS_HEADERS['content-type'] }, body: frontPage(asked.title) };
    case 'no-wordpress':
      if (isAjax) {
        if (!outage.subfolder) return serverErrorPage(404);
        return {
          status: 404,
          headers: { 'content-type': WORDPRESS_HEADERS['content-type'] },
          body: 'File not found.\n',
        };
      }
      if (isPost) return serverErrorPage(outage.subfolder ? 405 : 403);
      return outage.subfolder ? { status: 200, headers: SERVER, body: '<h1>other thing</h1>\n' } : serverErrorPage(403);
  }
}

const MAINTENANCE_TEXT = 'Briefly unavailable for scheduled maintenance. Check back in a minute.';
const NO_CONNECTION = '<h1>Error establishing a database connection</h1>';

function noDatabase(asked: PageVisit, because: 'missing' | 'refused'): HttpPage {
  // On admin-ajax.php, WordPress prints the text of its setup, including details about the database server.
  if (asked.path === AJAX_PATH) {
    const lines =
      because === 'missing'
        ? [
            '<h1>Cannot select database</h1>',
            '<p>The database server could be connected to (which means your username and password is okay) but the ' +
              '<code>nope</code> database could not be selected.</p>',
          ]
        : [
            NO_CONNECTION,
            '<p>This either means that the username and password information in your <code>wp-config.php</code> file ' +
              'is incorrect or that contact with the database server at <code>127.0.0.1:3307</code> could not be ' +
              'established.</p>',
          ];
    const body = `${lines.join('\n')}\n`;
    return { status: 200, headers: WORDPRESS_HEADERS, body };
  }
  return wpDie(asked, 500, { text: NO_CONNECTION, title: 'Database Error' });
}

/** Fatal error of PHP, as WordPress describes it to clients that accept JSON. */
export interface FatalCause {
  type: number;
  message: string;
  file: string;
  line: number;
}

const PLUGINS = '/var/www/site/wp-content/plugins';

/**
 * Returns a parse error. WordPress puts the file and the line only into separate fields, not into the message (recorded
 * from a real site).
 */
export const parseErrorIn = (file: string): FatalCause => ({
  type: 4,
  message: 'syntax error, unexpected token "{"',
  file: `${PLUGINS}/${file}`,
  line: 16,
});

export const undefinedFunctionIn = (file: string): FatalCause => {
  const message = `Uncaught Error: Call to undefined function no_such_function() in ${PLUGINS}/${file}:16`;
  return { type: 1, message: `${message}\nStack trace:\n#0 {main}\n  thrown`, file: `${PLUGINS}/${file}`, line: 16 };
};

export function fatalPage(asked: PageVisit, cause?: FatalCause): HttpPage {
  const html = CRITICAL_ERROR;
  if (asked.path === AJAX_PATH) return { status: 500, headers: WORDPRESS_HEADERS, body: html };
  if (!acceptsJson(asked.request)) return wpDieHtmlPage(500, 'WordPress &rsaquo; Error', html, {});
  if (cause) return wpDieJsonPage('internal_server_error', html, { status: 500, error: cause }, {});
  const file = '/var/www/site/wp-content/mu-plugins/dies.php';
  const trace = 'Stack trace:\n#0 {main}\n  thrown';
  const message = `Uncaught Error: Call to undefined function no_such_function_zz() in ${file}:1\n${trace}`;
  return wpDieJsonPage('internal_server_error', html, { status: 500, error: { type: 1, message, file, line: 1 } }, {});
}

function wpDie(
  asked: PageVisit,
  status: number,
  { text, title }: PageText,
  headers: OutgoingHttpHeaders = {},
): HttpPage {
  if (asked.path === AJAX_PATH) return { status, headers: { ...WORDPRESS_HEADERS, ...headers }, body: text };
  if (acceptsJson(asked.request)) return wpDieJsonPage('wp_die', text, { status }, headers);
  return wpDieHtmlPage(status, title, text, headers);
}

interface PageText {
  text: string;
  title: string;
}

function wpDieJsonPage(
  code: string,
  message: string,
  data: { status: number; error?: object },
  headers: OutgoingHttpHeaders,
): HttpPage {
  const body = JSON.stringify({ code, message, data, additional_errors: [] }).replaceAll('/', '\\/');
  const own = { ...WORDPRESS_HEADERS, 'content-type': 'application/json; charset=UTF-8' };
  return { status: data.status, headers: { ...own, ...headers }, body };
}

function wpDieHtmlPage(status: number, title: string, text: string, headers: OutgoingHttpHeaders): HttpPage {
  const head = ["<html dir='ltr'>", '<head>', `\t<title>${title}</title>`, '</head>'];
  const shown = ['<body id="error-page">', `\t<div class="wp-die-message">${text}</div></body>`, '</html>', ''];
  const body = ['<!DOCTYPE html>', ...head, ...shown].join('\n');
  return { status, headers: { ...WORDPRESS_HEADERS, ...headers }, body };
}

/** WordPress parses the `Accept` header with this expression. */
function acceptsJson({ headers }: IncomingMessage): boolean {
  return /(^|\s|,)application\/([\w!#$&-^.+]+\+)?json(\+oembed)?($|\s|;|,)/i.test(headers.accept ?? '');
}

function closedAjaxPage(status: number, siteUrl: string): HttpPage {
  const shown = serverErrorPage(status);
  if (status === 401) shown.headers['www-authenticate'] = 'Basic realm="wp-admin"';
  if (status === 301) shown.headers['location'] = siteUrl.replace(/^http:/, 'https:') + AJAX_PATH;
  return shown;
}

const TITLES: Record<number, string> = {
  301: '301 Moved Permanently',
  401: '401 Authorization Required',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Not Allowed',
  413: '413 Request Entity Too Large',
  429: '429 Too Many Requests',
  502: '502 Bad Gateway',
  504: '504 Gateway Time-out',
};

export function serverErrorPage(status: number): HttpPage {
  const title = TITLES[status] ?? String(status);
  const lines = ['<html>', `<head><title>${title}</title></head>`, '<body>', `<center><h1>${title}</h1></center>`];
  const body = [...lines, '<hr><center>nginx/1.22.1</center>', '</body>', '</html>', ''].join('\r\n');
  return { status, headers: { ...SERVER }, body };
}
