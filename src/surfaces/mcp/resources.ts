import type {
  CompleteRequestParams,
  CompleteResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import { contractText } from '../generated.ts';
import type { Ability, Catalog } from './catalog.ts';
import { guides } from './guides.ts';

const CONTRACT = 'sitefleet://openapi/abilities';
const ABILITY = /^sitefleet:\/\/abilities\/([\w-]+)$/;
const GUIDE = /^sitefleet:\/\/guides\/([\w-]+)$/;
const TEMPLATE = 'sitefleet://abilities/{name}';
const JSON_TYPE = 'application/json';
const MARKDOWN = 'text/markdown';
/** Maximum number of completions per response. */
const MOST_COMPLETIONS = 100;

/** Lists the resources of agents and their users: the contract and the guides. */
export async function listResources(): Promise<ListResourcesResult> {
  const description =
    'The OpenAPI document of all abilities. It is large; sitefleet://abilities/{name} has one of them.';
  return {
    resources: [
      {
        uri: CONTRACT,
        name: 'openapi-abilities',
        title: 'Contract of the abilities',
        description,
        mimeType: JSON_TYPE,
      },
      ...(await guides()).map(({ name, title }) => ({
        uri: `sitefleet://guides/${name}`,
        name,
        title,
        mimeType: MARKDOWN,
      })),
    ],
  };
}

export const listTemplates = (): ListResourceTemplatesResult => ({
  resourceTemplates: [
    { uriTemplate: TEMPLATE, name: 'ability', title: 'An ability and its schemas', mimeType: JSON_TYPE },
  ],
});

/** Returns null if the resource does not exist. */
export async function readResource(uri: string, catalog: Catalog): Promise<ReadResourceResult | null> {
  if (uri === CONTRACT) return contents(uri, JSON_TYPE, contractText('abilities'));
  const ability = catalog.get(ABILITY.exec(uri)?.[1] ?? '');
  if (ability) return contents(uri, JSON_TYPE, JSON.stringify(described(ability, true)));
  const guide = (await guides()).find(({ name }) => name === GUIDE.exec(uri)?.[1]);
  return guide ? contents(uri, MARKDOWN, guide.text) : null;
}

const contents = (uri: string, mimeType: string, text: string): ReadResourceResult => ({
  contents: [{ uri, mimeType, text }],
});

export function complete({ ref, argument }: CompleteRequestParams, catalog: Catalog): CompleteResult {
  const isOurs = ref.type === 'ref/resource' && ref.uri === TEMPLATE && argument.name === 'name';
  const fitting = isOurs ? [...catalog.keys()].filter((name) => name.includes(argument.value)) : [];
  const values = fitting.slice(0, MOST_COMPLETIONS);
  return { completion: { values, total: fitting.length, hasMore: fitting.length > values.length } };
}

export function described(ability: Ability, withOutput: boolean): object {
  const { name, title, description, instructions, readonly, destructive, idempotent, input, output } = ability;
  return {
    name,
    title,
    description,
    ...(instructions && { instructions }),
    readonly,
    destructive,
    idempotent,
    input_schema: input,
    ...(withOutput && { output_schema: output }),
  };
}
