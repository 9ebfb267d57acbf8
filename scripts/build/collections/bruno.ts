import lang, { type BrunoRequest } from '@usebruno/lang';
import type { CollectedRequest, RequestField, RequestFolder } from './requests.ts';
import { VARIABLES } from './variables.ts';

/** Returns the files of a Bruno collection. Each folder has a folder per part, and this a file per request. */
export function brunoFiles(name: string, folders: readonly RequestFolder[]): Map<string, string> {
  const about = { version: '1', name, type: 'collection', ignore: ['node_modules', '.git'] };
  const auth = { mode: 'bearer', bearer: { token: '{{apiKey}}' } };
  const variables = VARIABLES.map(({ isSecret, name: key, value }) => ({
    ...{ name: key, value, enabled: true },
    secret: isSecret,
  }));
  const files = new Map([
    ['bruno.json', `${JSON.stringify(about, null, 2)}\n`],
    ['collection.bru', lang.jsonToCollectionBru({ auth })],
    ['environments/Local.bru', lang.envJsonToBruV2({ variables })],
  ]);
  for (const { name: folder, description, parts } of folders) {
    files.set(`${folder}/folder.bru`, lang.jsonToCollectionBru({ meta: { name: folder }, docs: description }));
    for (const { name: part, requests } of parts) {
      files.set(`${folder}/${part}/folder.bru`, lang.jsonToCollectionBru({ meta: { name: part } }));
      requests.forEach((request, index) =>
        files.set(`${folder}/${part}/${request.id}.bru`, lang.jsonToBruV2(requestOf(request, index + 1))),
      );
    }
  }
  return files;
}

function requestOf({ name, id, description, method, path, ...request }: CollectedRequest, seq: number): BrunoRequest {
  const { query, pathFields, headers, body } = request;
  const asked = query.filter(({ isSent }) => isSent).map((field) => `${field.name}=${field.value}`);
  const url = `{{baseUrl}}${path.replace(/\{(\w+)\}/g, ':$1')}${asked.length > 0 ? `?${asked.join('&')}` : ''}`;
  return {
    meta: { name, type: 'http', seq },
    http: { method: method.toLowerCase(), url, body: BODIES[body.kind], auth: 'inherit' },
    params: [
      ...query.map((field) => ({ ...entryOf(field), type: 'query' as const })),
      ...pathFields.map((field) => ({ ...entryOf(field), type: 'path' as const })),
    ],
    headers: headers.map(entryOf),
    body: {
      ...(body.kind === 'json' && { json: body.text }),
      ...(body.kind === 'form' && {
        multipartForm: body.fields.map((field) => ({
          ...entryOf(field),
          ...(field.isFile ? { type: 'file', value: [] } : { type: 'text' }),
        })),
      }),
    },
    docs: `${description}\n\nOperation: \`${id}\``.trim(),
  };
}

const BODIES = { none: 'none', json: 'json', form: 'multipartForm' } as const;

const entryOf = ({ name, value, isSent }: RequestField): { name: string; value: string; enabled: boolean } => ({
  name,
  value,
  enabled: isSent,
});
