import type {
  CompleteRequestParams,
  CompleteResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import { contractText } from '../generated-files.ts';
import type { Ability, AbilityCatalog } from './ability-catalog.ts';
import { listGuides } from './guides.ts';

const CONTRACT_URI = 'sitefleet://openapi/abilities';
const ABILITY_URI = /^sitefleet:\/\/abilities\/([\w-]+)$/;
const GUIDE_URI = /^sitefleet:\/\/guides\/([\w-]+)$/;
const ABILITY_URI_TEMPLATE = 'sitefleet://abilities/{name}';
const JSON_TYPE = 'application/json';
const MARKDOWN = 'text/markdown';
const MAX_COMPLETIONS = 100;

export async function listResources(): Promise<ListResourcesResult> {
  const description =
    'The OpenAPI document of all abilities. It is large; sitefleet://abilities/{name} contains a single ability.';
  return {
    resources: [
      {
        uri: CONTRACT_URI,
        name: 'openapi-abilities',
        title: 'Contract of the abilities',
        description,
        mimeType: JSON_TYPE,
      },
      ...(await listGuides()).map(({ name, title }) => ({
        uri: `sitefleet://guides/${name}`,
        name,
        title,
        mimeType: MARKDOWN,
      })),
    ],
  };
}

export const listResourceTemplates = (): ListResourceTemplatesResult => ({
  resourceTemplates: [
    { uriTemplate: ABILITY_URI_TEMPLATE, name: 'ability', title: 'An ability and its schemas', mimeType: JSON_TYPE },
  ],
});

export async function readResource(uri: string, catalog: AbilityCatalog): Promise<ReadResourceResult | null> {
  if (uri === CONTRACT_URI) return textResource(uri, JSON_TYPE, contractText('abilities'));
  const ability = catalog.get(ABILITY_URI.exec(uri)?.[1] ?? '');
  if (ability) return textResource(uri, JSON_TYPE, JSON.stringify(describeAbility(ability, true)));
  const guide = (await listGuides()).find(({ name }) => name === GUIDE_URI.exec(uri)?.[1]);
  return guide ? textResource(uri, MARKDOWN, guide.text) : null;
}

const textResource = (uri: string, mimeType: string, text: string): ReadResourceResult => ({
  contents: [{ uri, mimeType, text }],
});

export function completeAbilityName({ ref, argument }: CompleteRequestParams, catalog: AbilityCatalog): CompleteResult {
  const isOurs = ref.type === 'ref/resource' && ref.uri === ABILITY_URI_TEMPLATE && argument.name === 'name';
  const fitting = isOurs ? [...catalog.keys()].filter((name) => name.includes(argument.value)) : [];
  const values = fitting.slice(0, MAX_COMPLETIONS);
  return { completion: { values, total: fitting.length, hasMore: fitting.length > values.length } };
}

export function describeAbility(ability: Ability, withOutput: boolean): object {
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
