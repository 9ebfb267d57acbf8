import type { OutgoingHttpHeaders } from 'node:http';

export interface HttpPage {
  status: number;
  headers: OutgoingHttpHeaders;
  body: string;
  /** Source of `body` if it is a response of the child plugin. */
  frame?: { noise: string; json: string };
}

export function frontPage(title: string): string {
  return `<!DOCTYPE html>
<html lang="en-US">
<head>
<meta charset="UTF-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>${escapeHtml(title)}</title>
</head>
<body class="home blog"><h1>${escapeHtml(title)}</h1><p>Welcome to this simulated site.</p><a href="./sample-page/">Sample page</a></body>
</html>
`;
}

export function notFoundPage(title: string): string {
  return `<!DOCTYPE html>
<html lang="en-US">
<head><meta charset="UTF-8" /><title>Page not found &#8211; ${escapeHtml(title)}</title></head>
<body class="error404"><h1>Page not found</h1></body>
</html>
`;
}

/** HTML that WordPress prints after a PHP fatal error. It has no frame and does not tell which work was done before. */
export const CRITICAL_ERROR =
  '<p>There has been a critical error on this website.</p><p><a href="https://wordpress.org/documentation/article/faq-troubleshooting/">Learn more about troubleshooting WordPress.</a></p>';

export const CHALLENGE_PAGE =
  '<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Checking your browser before accessing this site. <script src="/cdn-cgi/challenge-platform/h/b/orchestrate/jsch/v1"></script></body></html>';

export const UNAUTHORIZED_PAGE =
  '<!DOCTYPE html><html><head><title>401 Authorization Required</title></head><body><h1>401 Authorization Required</h1></body></html>';

function escapeHtml(value: string): string {
  return value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
