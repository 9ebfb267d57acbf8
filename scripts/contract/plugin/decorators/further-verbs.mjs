import { nameOf, operationsOf, resolved, schemaRef } from '../document.mjs';
import { statusOf } from './error-codes.mjs';

/**
 * Writes out `x-also: [patch, post]`: further verbs of an operation. A route has equal copies. An ability takes its
 * input from the query for GET and DELETE, and from the body for POST.
 */
export function furtherVerbs(root) {
  for (const { item, verb, operation } of operationsOf(root)) {
    const { 'x-also': also, ...own } = operation;
    if (!also) continue;
    item[verb] = own;
    for (const other of also) {
      const copy = structuredClone(item['x-ability'] ? carriedBy(root, other, own) : own);
      item[other] = { ...copy, operationId: `${own.operationId}__${other}` };
    }
  }
}

/** The operation of an ability with its input where the verb carries it. Only a GET takes no `Idempotency-Key`. */
function carriedBy(root, verb, { parameters = [], requestBody, responses, ...rest }) {
  const query = parameters.find(({ name }) => name === 'input');
  const media = requestBody?.content['application/json'];
  const { default: _default, ...input } = query?.schema ?? resolved(root, media.schema).properties.input;
  const call = {
    input: schemaRef(nameOf(input)),
    required: resolved(root, input).required,
    example: query?.example ?? media.example.input,
  };
  const carried = verb === 'post' ? inBody(root, call) : inQuery(call);
  const headers = verb === 'get' ? [] : [{ $ref: '#/components/parameters/IdempotencyKey' }];
  const all = [...(carried.parameters ?? []), ...headers];
  return {
    ...rest,
    ...(all.length > 0 ? { parameters: all } : {}),
    ...(carried.requestBody ? { requestBody: carried.requestBody } : {}),
    responses: responsesOf(responses, verb, rest['x-errors'] ?? []),
  };
}

const CONFLICT = '409';
const OF_BODIES = { 413: 'ContentTooLarge', 415: 'UnsupportedMediaType' };

/** Only verbs with a body return 413 and 415. A GET returns 409 only if the operation has a code of that status. */
function responsesOf(responses, verb, codes) {
  const component = (name) => ({ $ref: `#/components/responses/${name}` });
  const hasConflict = verb !== 'get' || codes.some((code) => statusOf(code) === CONFLICT);
  const all = {
    ...responses,
    [CONFLICT]: hasConflict ? component('Conflict') : undefined,
    ...Object.fromEntries(
      Object.entries(OF_BODIES).map(([status, name]) => [status, verb === 'post' ? component(name) : undefined]),
    ),
  };
  const present = Object.entries(all).filter(([, response]) => response !== undefined);
  return Object.fromEntries(
    present.map(([status, response]) => [status, /^2/.test(status) ? replayable(response, verb) : response]),
  );
}

function replayable({ headers = {}, ...response }, verb) {
  const { 'Idempotency-Replayed': _replayed, ...others } = headers;
  const replayed = { $ref: '#/components/headers/IdempotencyReplayed' };
  const all = verb === 'get' ? others : { ...others, 'Idempotency-Replayed': replayed };
  const { description, ...content } = response;
  return { description, ...(Object.keys(all).length > 0 ? { headers: all } : {}), ...content };
}

function inBody(root, { input, required, example }) {
  const name = nameOf(input).replace(/Input$/, 'Body');
  root.components.schemas[name] ??= {
    type: 'object',
    description: 'Request body.',
    additionalProperties: false,
    ...(required ? { required: ['input'] } : {}),
    properties: { input },
  };
  const content = { 'application/json': { schema: schemaRef(name), example: { input: example } } };
  return { requestBody: { required: required !== undefined, content } };
}

/** Values that show best how a field is written. */
const SHOWN = { page: 2, site_id_or_domain: 12, client_id_or_email: 3 };

function inQuery({ input, required, example }) {
  const name = required?.[0] ?? Object.keys(example)[0];
  return {
    parameters: [
      {
        name: 'input',
        in: 'query',
        ...(required ? { required: true } : {}),
        description: `Input fields as query parameters in brackets, such as \`input[${name}]=${SHOWN[name] ?? example[name]}\`.`,
        style: 'deepObject',
        explode: true,
        schema: input,
        example,
      },
    ],
  };
}
