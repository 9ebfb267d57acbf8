/** Sends the request of a form and shows the response. */
import type { TryIt } from '../try-it-facts.ts';
import { element, textOf } from './dom.ts';

const SHOWN_HEADERS = ['content-type', 'etag', 'x-request-id', 'retry-after', 'location'];
const SHOWN_CHARACTERS = 200_000;

export async function send(call: TryIt, values: FormData): Promise<Node[]> {
  const url = addressOf(call, values);
  try {
    const answer = await fetch(url, {
      method: call.method,
      headers: headersOf(call, values),
      body: bodyOf(call, values),
    });
    return await shown(url, answer);
  } catch (error) {
    return [element('p', {}, `The request failed: ${(error as Error).message}. ${hintOn(url)}`)];
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

function hintOn(url: string): string {
  if (new URL(url, location.href).origin === location.origin) return 'Check that the service is running.';
  return (
    'Pages of a service can call only that service. For other pages, add ' +
    `${location.origin} to SITEFLEET_CORS_ORIGINS of your service.`
  );
}

async function shown(url: string, answer: Response): Promise<Node[]> {
  const text = await answer.text();
  const head = [`${answer.status} ${answer.statusText}`];
  for (const name of SHOWN_HEADERS) if (answer.headers.has(name)) head.push(`${name}: ${answer.headers.get(name)}`);
  const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
  const body = isJson ? prettyJson(text) : text;
  const cut = body.length > SHOWN_CHARACTERS ? `${body.slice(0, SHOWN_CHARACTERS)}\n…` : body;
  return [
    element('p', {}, element('code', {}, url)),
    element('pre', { tabindex: '0' }, head.join('\n')),
    element('pre', { tabindex: '0' }, cut || 'The response has no body.'),
  ];
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
