/** The used part of Postman's collection format 2.1, without additional properties: unknown fields are faults. */
const text = { type: 'string' };
const list = (items: object): object => ({ type: 'array', items });
const object = (required: string[], properties: object): object => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});
const entry = object(['key', 'value'], { key: text, value: text, description: text, disabled: { type: 'boolean' } });

const REQUEST = object(['method', 'header', 'url'], {
  method: { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
  description: text,
  header: list(entry),
  url: object(['raw', 'host', 'path'], {
    raw: { type: 'string', pattern: String.raw`^\{\{baseUrl\}\}/` },
    host: list(text),
    path: list(text),
    query: list(entry),
    variable: list(object(['key', 'value'], { key: text, value: text, description: text })),
  }),
  body: {
    oneOf: [
      object(['mode', 'raw', 'options'], {
        mode: { const: 'raw' },
        raw: text,
        options: object(['raw'], { raw: object(['language'], { language: { const: 'json' } }) }),
      }),
      object(['mode', 'formdata'], {
        mode: { const: 'formdata' },
        formdata: list({
          oneOf: [
            object(['key', 'value', 'type'], {
              ...{ key: text, value: text, description: text, disabled: { type: 'boolean' } },
              type: { const: 'text' },
            }),
            object(['key', 'src', 'type'], {
              ...{ key: text, src: list(text), description: text, disabled: { type: 'boolean' } },
              type: { const: 'file' },
            }),
          ],
        }),
      }),
    ],
  },
});
const REQUESTS = list(object(['name', 'request', 'response'], { name: text, request: REQUEST, response: list({}) }));
const variable = { key: text, value: text, type: { const: 'string' }, description: text };

export const POSTMAN_SCHEMA = object(['info', 'auth', 'variable', 'item'], {
  info: object(['name', 'schema'], {
    name: text,
    schema: { const: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
  }),
  auth: object(['type', 'bearer'], {
    type: { const: 'bearer' },
    bearer: list(object(['key', 'value', 'type'], { key: text, value: text, type: text })),
  }),
  variable: list(object(['key', 'value'], variable)),
  item: list(
    object(['name', 'item'], {
      name: text,
      description: text,
      item: list(object(['name', 'item'], { name: text, item: REQUESTS })),
    }),
  ),
});

interface Entry {
  key: string;
  value: string;
  disabled?: boolean;
}

export interface PostmanItem {
  name: string;
  request: {
    method: string;
    description: string;
    header: Entry[];
    url: { host: string[]; path: string[]; query?: Entry[]; variable?: Entry[] };
    body?: { raw?: string };
  };
}

export interface PostmanCollection {
  auth: { bearer: [Entry] };
  variable: Entry[];
  item: { name: string; item: { name: string; item: PostmanItem[] }[] }[];
}

export interface SentRequest {
  method: string;
  path: string;
  pathFields: [string, string][];
  query: [string, string][];
  headers: [string, string][];
  body: string | undefined;
}

/** Returns the request without its disabled parts. */
export function sentRequestOf({ request }: PostmanItem): SentRequest {
  const { method, url, header, body } = request;
  return {
    method,
    path: [...url.host, ...url.path].join('/'),
    pathFields: pairs(url.variable),
    query: pairs(url.query),
    headers: pairs(header),
    body: body?.raw,
  };
}

const pairs = (entries: Entry[] = []): [string, string][] =>
  entries.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, value]);

/** Puts the values of variables into a text, as Postman and Bruno do. */
export const withValues = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) => values[name] ?? placeholder);
