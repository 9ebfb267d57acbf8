import type { CollectedRequest, RequestField, RequestFolder } from './requests.ts';
import { VARIABLES } from './variables.ts';

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

/** Returns a Postman collection (format 2.1). Each folder has a folder per part. */
export function postmanCollection(name: string, folders: readonly RequestFolder[]): object {
  return {
    info: { name, schema: SCHEMA },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] },
    variable: VARIABLES.map(({ name: key, value, description }) => ({ key, value, type: 'string', description })),
    item: folders.map((folder) => ({
      name: folder.name,
      description: folder.description,
      item: folder.parts.map((part) => ({ name: part.name, item: part.requests.map(itemOf) })),
    })),
  };
}

function itemOf(request: CollectedRequest): object {
  const { id, name, description, method, headers, query, path, pathFields } = request;
  const segments = path.replace(/^\//, '').replace(/\{(\w+)\}/g, ':$1');
  const asked = query.filter(({ isSent }) => isSent).map((field) => `${field.name}=${field.value}`);
  return {
    name,
    request: {
      method,
      description: `${description}\n\nOperation: \`${id}\``.trim(),
      header: headers.map(entryOf),
      url: {
        raw: `{{baseUrl}}/${segments}${asked.length > 0 ? `?${asked.join('&')}` : ''}`,
        host: ['{{baseUrl}}'],
        path: segments.split('/'),
        ...(query.length > 0 && { query: query.map(entryOf) }),
        ...(pathFields.length > 0 && {
          variable: pathFields.map(({ name: key, value, description }) => ({ key, value, description })),
        }),
      },
      ...bodyOf(request),
    },
    response: [],
  };
}

const entryOf = ({ name: key, value, description, isSent }: RequestField): object => ({
  key,
  value,
  ...(description && { description }),
  ...(!isSent && { disabled: true }),
});

function bodyOf({ body }: CollectedRequest): object {
  switch (body.kind) {
    case 'none':
      return {};
    case 'json':
      return { body: { mode: 'raw', raw: body.text, options: { raw: { language: 'json' } } } };
    case 'form': {
      const formdata = body.fields.map(({ isFile, ...field }) => {
        const { value, ...entry } = entryOf(field) as { value: string };
        return isFile ? { ...entry, type: 'file', src: [] } : { ...entry, type: 'text', value };
      });
      return { body: { mode: 'formdata', formdata } };
    }
  }
}
