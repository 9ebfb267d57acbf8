/** Sends the request of a form and shows the response. */
import type { TryIt } from '../try-it-facts.ts';
import { element, textOf } from './dom.ts';

const SHOWN_HEADERS = ['content-type', 'etag', 'x-request-id', 'retry-after', 'location'];
const SHOWN_CHARACTERS = 200_000;

export async function send(call: TryIt, values: FormData): Promise<Node[]> {
  const url = addressOf(call, values);
  try {
    const response = await fetch(url, {
      method: call.method,
      headers: headersOf(call, values),
      body: bodyOf(call, values),
    });
    return await responseNodes(url, response);
  } catch (error) {
    return [element('p', {}, `The request failed: ${(error as Error).message}. ${failureHint(url)}`)];
  }
}

function addressOf(call: TryIt, values: FormData): string {
  const path = call.address.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(textOf(values, `path.${name}`)),
  );
  const query = new URLSearchParams();
  for (const { name } of call.query) {
    const value = textOf(values, `query.${name}`);
    if (value !== '') query.set(name, value);
  }
  const input = textOf(values, 'input').trim();
  if (input !== '') query.set('input', input);
  const address = textOf(values, 'address').replace(/\/+$/, '') + path;
  return query.size > 0 ? `${address}?${query}` : address;
}

function headersOf(call: TryIt, values: FormData): Record<string, string> {
  const secret = textOf(values, 'secret');
  const basic = (): string => {
    const bytes = new TextEncoder().encode(`${textOf(values, 'user')}:${secret}`);
    return `Basic ${btoa(String.fromCharCode(...bytes))}`;
  };
  return {
    ...(secret && { Authorization: textOf(values, 'kind') === 'password' ? basic() : `Bearer ${secret}` }),
    ...(call.body !== null && { 'Content-Type': 'application/json' }),
  };
}

function bodyOf(call: TryIt, values: FormData): BodyInit | null {
  if (call.body !== null) return textOf(values, 'body');
  if (call.form.length === 0) return null;
  const form = new FormData();
  for (const { name } of call.form) {
    const value = values.get(`form.${name}`);
    if (value !== null && value !== '') form.set(name, value);
  }
  return form;
}

function failureHint(url: string): string {
  if (new URL(url, location.href).origin === location.origin) return 'Check that the service is running.';
  return (
    'Docs that a service serves can call only that service. To call a service from docs on another host, add ' +
    `${location.origin} to its setting SITEFLEET_CORS_ORIGINS.`
  );
}

async function responseNodes(url: string, response: Response): Promise<Node[]> {
  const text = await response.text();
  const head = [`${response.status} ${response.statusText}`];
  for (const name of SHOWN_HEADERS) if (response.headers.has(name)) head.push(`${name}: ${response.headers.get(name)}`);
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  const body = isJson ? prettyJson(text) : text;
  const shown = body.length > SHOWN_CHARACTERS ? `${body.slice(0, SHOWN_CHARACTERS)}\n…` : body;
  return [
    element('p', {}, element('code', {}, url)),
    element('pre', { tabindex: '0' }, head.join('\n')),
    element('pre', { tabindex: '0' }, shown || 'The response has no body.'),
  ];
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
