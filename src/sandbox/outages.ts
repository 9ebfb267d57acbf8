import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { CRITICAL_ERROR, frontPage, type Page } from './pages.ts';

/**
 * What a web server or WordPress itself answers before the child plugin is asked. The body depends on the address and
 * on what the caller accepts: admin-ajax.php prints a bare text, the front page JSON for who takes it, else a page for
 * people.
 */
export type Outage =
  /** The web server refuses admin-ajax.php; the front page is open. */
  | { kind: 'closed-ajax'; status?: 301 | 401 | 403 | 404 | 405 | 429 }
  /** A fresh `.maintenance` file. */
  | { kind: 'maintenance' }
  /** The database cannot be selected, or refuses the password. */
  | { kind: 'database'; because: 'missing' | 'refused' }
  /** The tables are not there. */
  | { kind: 'not-installed' }
  /** PHP is down behind the web server. */
  | { kind: 'php-down' }
  /** The web server takes no larger body, or PHP drops the fields of a larger one. */
  | { kind: 'too-large'; bytes: number; by: 'server' | 'php' }
  /** A web server without WordPress, or with WordPress in another folder. */
  | { kind: 'no-wordpress'; subfolder?: boolean };

export const AJAX_PATH = '/wp-admin/admin-ajax.php';

const INSTALL_PATH = '/wp-admin/install.php';

/** WordPress forbids to cache what it prints itself. */
export const WORDPRESS = {
  'content-type': 'text/html; charset=UTF-8',
  'cache-control': 'no-cache, must-revalidate, max-age=0, no-store, private',
};
const SERVER = { 'content-type': 'text/html' };

export interface Asked {
  request: IncomingMessage;
  path: string;
  /** Size of the request's body. */
  bytes: number;
  title: string;
  siteUrl: string;
}

/** The page that is shown instead of asking the child; undefined when this request gets through. */
export function outagePage(outage: Outage, asked: Asked): Page | undefined {
  const { request, path, bytes, siteUrl } = asked;
  const isAjax = path === AJAX_PATH;
  const isPost = request.method === 'POST';
  switch (outage.kind) {
    case 'closed-ajax':
      return isAjax ? closed(outage.status ?? 403, siteUrl) : undefined;
    case 'maintenance':
      return printed(asked, 503, { text: BRIEFLY, title: 'Maintenance' }, { 'retry-after': '600' });
    case 'database':
      return noDatabase(asked, outage.because);
    case 'not-installed':
      if (path === INSTALL_PATH) return page(200, 'WordPress &rsaquo; Installation', '', {});
      return {
        status: 302,
        headers: { ...WORDPRESS, location: siteUrl + INSTALL_PATH },
        body: '',
      };
    case 'php-down':
      return serverPage(502);
    case 'too-large':
      if (!isPost || bytes <= outage.bytes) return undefined;
      if (outage.by === 'server') return serverPage(413);
      return isAjax
        ? { status: 400, headers: WORDPRESS, body: '0' }
        : { status: 200, headers: { 'content-type': WORDPRESS['content-type'] }, body: frontPage(asked.title) };
    case 'no-wordpress':
      if (isAjax) {
        if (!outage.subfolder) return serverPage(404);
        return { status: 404, headers: { 'content-type': WORDPRESS['content-type'] }, body: 'File not found.\n' };
      }
      if (isPost) return serverPage(outage.subfolder ? 405 : 403);
      return outage.subfolder ? { status: 200, headers: SERVER, body: '<h1>other thing</h1>\n' } : serverPage(403);
  }
}

const BRIEFLY = 'Briefly unavailable for scheduled maintenance. Check back in a minute.';
const NO_CONNECTION = '<h1>Error establishing a database connection</h1>';

function noDatabase(asked: Asked, because: 'missing' | 'refused'): Page {
  // Where the answer is no page, the text of the setup is printed with all that it knows of the server.
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
    return { status: 200, headers: WORDPRESS, body };
  }
  return printed(asked, 500, { text: NO_CONNECTION, title: 'Database Error' });
}

/** PHP died: no frame, and for who accepts JSON the cause, with the place on the server. */
export function fatalPage(asked: Asked): Page {
  const html = CRITICAL_ERROR;
  if (asked.path === AJAX_PATH) return { status: 500, headers: WORDPRESS, body: html };
  if (!acceptsJson(asked.request)) return page(500, 'WordPress &rsaquo; Error', html, {});
  const file = '/var/www/site/wp-content/mu-plugins/dies.php';
  const trace = 'Stack trace:\n#0 {main}\n  thrown';
  const message = `Uncaught Error: Call to undefined function no_such_function_zz() in ${file}:1\n${trace}`;
  return json('internal_server_error', html, { status: 500, error: { type: 1, message, file, line: 1 } }, {});
}

/** As WordPress ends a request with a message of its own. */
function printed(asked: Asked, status: number, { text, title }: Words, headers: OutgoingHttpHeaders = {}): Page {
  if (asked.path === AJAX_PATH) return { status, headers: { ...WORDPRESS, ...headers }, body: text };
  if (acceptsJson(asked.request)) return json('wp_die', text, { status }, headers);
  return page(status, title, text, headers);
}

interface Words {
  text: string;
  title: string;
}

function json(
  code: string,
  message: string,
  data: { status: number; error?: object },
  headers: OutgoingHttpHeaders,
): Page {
  const body = JSON.stringify({ code, message, data, additional_errors: [] }).replaceAll('/', '\\/');
  const own = { ...WORDPRESS, 'content-type': 'application/json; charset=UTF-8' };
  return { status: data.status, headers: { ...own, ...headers }, body };
}

function page(status: number, title: string, text: string, headers: OutgoingHttpHeaders): Page {
  const head = ["<html dir='ltr'>", '<head>', `\t<title>${title}</title>`, '</head>'];
  const shown = ['<body id="error-page">', `\t<div class="wp-die-message">${text}</div></body>`, '</html>', ''];
  const body = ['<!DOCTYPE html>', ...head, ...shown].join('\n');
  return { status, headers: { ...WORDPRESS, ...headers }, body };
}

/** As WordPress reads the header. */
function acceptsJson({ headers }: IncomingMessage): boolean {
  return /(^|\s|,)application\/([\w!#$&-^.+]+\+)?json(\+oembed)?($|\s|;|,)/i.test(headers.accept ?? '');
}

function closed(status: number, siteUrl: string): Page {
  const shown = serverPage(status);
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

/** A page of the web server's own, as nginx makes them. */
export function serverPage(status: number): Page {
  const title = TITLES[status] ?? String(status);
  const lines = ['<html>', `<head><title>${title}</title></head>`, '<body>', `<center><h1>${title}</h1></center>`];
  const body = [...lines, '<hr><center>nginx/1.22.1</center>', '</body>', '</html>', ''].join('\r\n');
  return { status, headers: { ...SERVER }, body };
}
