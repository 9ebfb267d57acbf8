import { VERBS, type AbilityFacts, type Schema, type Verb } from '../../../src/contract/index.ts';
import type { Node, Source } from './source.ts';

interface ShortOperation extends Node {
  operationId: string;
  /** An example of the input, which stands for where the input is sent. */
  'x-input'?: Node;
  /** How a field of the input is written in a query, where the example does not show it well. */
  'x-as-in'?: string;
}

/**
 * An ability says its operation once, with an example of its input as `x-input`. The body or the query that carries the
 * input follows from the verb. A read answers GET and POST alike; the verb that is not written, or says no more than
 * another example, is the further one.
 */
export function abilityOf(source: Source): Source {
  const { path } = source;
  const facts = path?.['x-ability'] as AbilityFacts | undefined;
  if (!path || !facts) return source;
  const written = VERBS.filter((verb) => verb in path);
  const main = written.find((verb) => 'operationId' in (path[verb] as Node));
  const operation = path[main ?? 'post'] as ShortOperation | undefined;
  if (!main || !operation?.['x-input']) return source;
  const [inputName, input] = inputIn(source);
  const carried = (verb: Verb): Node => {
    const {
      operationId,
      tags,
      'x-input': example,
      'x-as-in': asIn,
      responses,
      ...rest
    } = {
      ...operation,
      ...(path[verb] as Node | undefined),
    };
    const carrier = { reference: { $ref: `#/${inputName}` }, input, example: example ?? {}, asIn };
    return {
      operationId: verb === main ? operationId : `${operationId}__${verb}`,
      tags,
      summary: path['summary'],
      ...rest,
      ...(verb === 'post' ? bodyOf(carrier) : queryOf(carrier)),
      responses,
    };
  };
  const other: Verb = main === 'get' ? 'post' : 'get';
  const further = written.filter((verb) => verb !== main);
  if (facts.readonly && !further.includes(other)) further.push(other);
  const known = Object.entries(path).filter(([key]) => ![main, ...further].includes(key as Verb));
  const operations = [main, ...further].map((verb) => [verb, carried(verb)] as const);
  return { ...source, path: Object.fromEntries([...known, ...operations]) };
}

function inputIn(source: Source): [name: string, input: Schema] {
  const [name] = Object.keys(source).filter((each) => each.endsWith('Input'));
  if (name === undefined) throw new Error('An ability with x-input has no schema called <Name>Input in its file.');
  return [name, source[name] as Schema];
}

interface Carrier {
  reference: Node;
  input: Schema;
  example: Node;
  asIn: string | undefined;
}

function bodyOf({ reference, input, example }: Carrier): Node {
  const required = input.required !== undefined;
  const schema = {
    type: 'object',
    description: 'The call.',
    additionalProperties: false,
    ...(required ? { required: ['input'] } : {}),
    properties: { input: required ? reference : { ...reference, default: {} } },
  };
  return { requestBody: { required, content: { 'application/json': { schema, example: { input: example } } } } };
}

function queryOf({ reference, input, example, asIn = shownIn(input, example) }: Carrier): Node {
  const parameter = {
    name: 'input',
    in: 'query',
    ...(input.required === undefined ? {} : { required: true }),
    description: `The fields in brackets, as in \`${asIn}\`.`,
    style: 'deepObject',
    explode: true,
    schema: reference,
    example,
  };
  return { parameters: [parameter] };
}

/** Values that show best how a field is written. */
const SHOWN: Node = { page: 2, site_id_or_domain: 12, client_id_or_email: 3 };

function shownIn({ required = [], properties = {} }: Schema, example: Node): string {
  const name = required[0] ?? ('page' in properties ? 'page' : (Object.keys(example)[0] ?? ''));
  return `input[${name}]=${String(SHOWN[name] ?? example[name])}`;
}
