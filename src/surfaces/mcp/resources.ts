import type {
  CompleteRequestParams,
  CompleteResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import type { McpCall } from '../../http/mcp.ts';
import { contractText } from '../generated-files.ts';
import { fileTemplatesOf, readFileResource } from './file-resources.ts';
import { listGuides, withResourceLinks, withResourceLinksInJson, type LinkTargets } from './guides.ts';
import type { OperationCatalog } from './operation-catalog.ts';
import { describeOperation } from './operation-description.ts';
import type { Operation } from './operation.ts';

const CONTRACT_URI = 'sitefleet://openapi/abilities';
const DESCRIPTION_URI = /^sitefleet:\/\/(abilities|operations)\/([\w-]+)$/;
const GUIDE_URI = /^sitefleet:\/\/guides\/([\w-]+)(?:#.*)?$/;
const ABILITY_URI_TEMPLATE = 'sitefleet://abilities/{name}';
const OPERATION_URI_TEMPLATE = 'sitefleet://operations/{operation}';
const JSON_TYPE = 'application/json';
const MARKDOWN = 'text/markdown';
const MAX_COMPLETIONS = 100;

export async function listResources(): Promise<ListResourcesResult> {
  const description =
    'The OpenAPI document of all abilities. It is large; sitefleet://operations/{operation} contains a single operation.';
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

export const listResourceTemplates = (allowed: readonly Operation[]): ListResourceTemplatesResult => ({
  resourceTemplates: [
    { uriTemplate: ABILITY_URI_TEMPLATE, name: 'ability', title: 'An ability and its schemas', mimeType: JSON_TYPE },
    {
      uriTemplate: OPERATION_URI_TEMPLATE,
      name: 'operation',
      title: 'An operation and its schemas',
      mimeType: JSON_TYPE,
    },
    ...fileTemplatesOf(allowed),
  ],
});

export async function readResource(
  call: McpCall,
  uri: string,
  targets: LinkTargets,
): Promise<ReadResourceResult | null> {
  const { catalog } = targets;
  if (uri === CONTRACT_URI) return textResource(uri, JSON_TYPE, contractText('abilities'));
  const [, kind, id = ''] = DESCRIPTION_URI.exec(uri) ?? [];
  const operation = catalog.get(id);
  if (operation && kind === 'operations')
    return textResource(uri, JSON_TYPE, withResourceLinksInJson(wholeDescriptionOf(operation), targets));
  if (operation?.surface === 'abilities')
    return textResource(uri, JSON_TYPE, JSON.stringify(describeAbility(operation, true)));
  const guide = (await listGuides()).find(({ name }) => name === GUIDE_URI.exec(uri)?.[1]);
  if (guide) return textResource(uri, MARKDOWN, withResourceLinks(guide.text, targets));
  return readFileResource(call, catalog.values(), uri);
}

const textResource = (uri: string, mimeType: string, text: string): ReadResourceResult => ({
  contents: [{ uri, mimeType, text }],
});

const wholeDescriptionOf = (operation: Operation): string =>
  JSON.stringify(describeOperation(operation, { withOutput: true, field: undefined, maxCharacters: Infinity }));

export function completeOperationId(
  { ref, argument }: CompleteRequestParams,
  catalog: OperationCatalog,
): CompleteResult {
  const uri = ref.type === 'ref/resource' ? ref.uri : '';
  const surfaces =
    uri === OPERATION_URI_TEMPLATE ? ['abilities', 'v2'] : uri === ABILITY_URI_TEMPLATE ? ['abilities'] : [];
  const fitting = [...catalog.values()].flatMap(({ id, surface }) =>
    surfaces.includes(surface) && id.includes(argument.value) ? [id] : [],
  );
  const values = fitting.slice(0, MAX_COMPLETIONS);
  return { completion: { values, total: fitting.length, hasMore: fitting.length > values.length } };
}

/** Describes an ability in the format of release 0.1, for its tools and for the MCP resources of abilities. */
export function describeAbility(operation: Operation, withOutput: boolean): Record<string, unknown> {
  const { id, title, description, instructions, effect, isIdempotent, input, output } = operation;
  return {
    name: id,
    title,
    description,
    ...(instructions !== '' && { instructions }),
    readonly: effect === 'reads',
    destructive: effect === 'destroys',
    idempotent: isIdempotent,
    input_schema: input(),
    ...(withOutput && { output_schema: output() }),
  };
}
