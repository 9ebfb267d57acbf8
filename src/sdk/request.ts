import type { Operation } from '../../generated/sdk/operation.ts';

export interface OperationRequest {
  method: string;
  path: Record<string, unknown>;
  query: string;
  body?: unknown;
}

interface RouteCall {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/**
 * Maximum length of the query in characters. Servers and proxies reject longer URLs, so a longer input is sent in a
 * body.
 */
const LONGEST_QUERY = 7_000;

export function abilityRequest({ method, repeatable }: Operation, input: unknown): OperationRequest {
  if (method === 'GET' && repeatable) {
    const query = encodeBracketQuery((input ?? {}) as Record<string, unknown>);
    if (query.length <= LONGEST_QUERY) return { method, path: {}, query };
  }
  return { method: 'POST', path: {}, query: '', body: { input: input ?? {} } };
}

export function routeRequest(
  { method, files }: Operation,
  { path = {}, query = {}, body }: RouteCall,
): OperationRequest {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const texts = Array.isArray(value) ? value.map(formValueText) : [];
    // The service splits a text at its commas, but not the items of a list in brackets.
    if (texts.some((text) => text.includes(','))) for (const text of texts) search.append(`${name}[]`, text);
    else search.set(name, Array.isArray(value) ? texts.join(',') : formValueText(value));
  }
  const sent = files && body !== undefined ? buildForm(body as object, files) : body;
  return { method, path, query: search.toString(), ...(sent === undefined ? {} : { body: sent }) };
}

function encodeBracketQuery(input: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    if (Array.isArray(value)) for (const item of value) search.append(`input[${name}][]`, formValueText(item));
    else search.set(`input[${name}]`, formValueText(value));
  }
  return search.toString();
}

/** Builds a multipart form. A text or bytes in a file field are sent as a file with this content. */
function buildForm(fields: object, files: readonly string[]): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields) as [string, unknown][]) {
    if (value === undefined) continue;
    if (!files.includes(name)) form.append(name, formValueText(value));
    else if (value instanceof Blob) form.append(name, value);
    else
      form.append(name, new Blob([value instanceof Uint8Array ? new Uint8Array(value) : formValueText(value)]), name);
  }
  return form;
}

const formValueText = (value: unknown): string => String(value);
