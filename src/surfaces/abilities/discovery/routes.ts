import type { components } from '../../../../generated/abilities.ts';
import {
  ABILITY_PATH,
  abilityInputOf,
  jsonMediaOf,
  memoize,
  verbsOf,
  descriptionWithoutErrors,
  type AbilityAnnotations,
  type Contract,
  type PathItem,
  type Schema,
} from '../../../contract/index.ts';
import { NotFoundError } from '../../../shared/errors.ts';
import { pageCount } from '../../../shared/paging.ts';
import type { SurfaceContext } from '../surface-context.ts';
import type { HandlersOf } from '../handlers.ts';
import { createDraft4Converter } from './json-schema-draft-4.ts';

type Ability = components['schemas']['Ability'];
type Category = components['schemas']['Category'];

export function routes(_services: object, { contract, base }: SurfaceContext): HandlersOf<'discovery'> {
  const abilities = describeAbilities(contract).map((ability) => withLinks(ability, base));
  const categories = listCategories(base);
  return {
    abilities_list: async ({ query }) => {
      const chosen =
        query.category === undefined ? abilities : abilities.filter(({ category }) => category === query.category);
      return pageResponse(
        chosen.map((each) => selectFields(query.context, each, EMBEDDED_ABILITY_FIELDS)),
        query,
        base,
      );
    },
    abilities_get: async ({ path, query }) => {
      const ability = abilities.find(({ name }) => name === `svc/${path.name}`);
      if (!ability) throw new NotFoundError('rest_ability_not_found', 'There is no such ability.');
      return { status: 200, body: selectFields(query.context, ability, EMBEDDED_ABILITY_FIELDS) };
    },
    categories_list: async ({ query }) =>
      pageResponse(
        categories.map((each) => selectFields(query.context, each, EMBEDDED_CATEGORY_FIELDS)),
        query,
        `${base}/categories`,
      ),
    categories_get: async ({ path, query }) => {
      const category = categories.find(({ slug }) => slug === path.slug);
      if (!category) throw new NotFoundError('rest_ability_category_not_found', 'There is no such category.');
      return { status: 200, body: selectFields(query.context, category, EMBEDDED_CATEGORY_FIELDS) };
    },
  };
}

const EMBEDDED_ABILITY_FIELDS = ['name', 'label', 'category', '_links'];
const EMBEDDED_CATEGORY_FIELDS = ['slug', 'label', '_links'];

const selectFields = <T extends object>(context: string, record: T, embedded: readonly string[]): T =>
  context === 'embed'
    ? (Object.fromEntries(Object.entries(record).filter(([name]) => embedded.includes(name))) as T)
    : record;

/**
 * Description of an ability without its links. Links contain the URL of the service. The rest depends only on the
 * contract, so it is made once.
 */
type AbilityDescription = Omit<Ability, '_links'>;

const describeAbilities = memoize((contract: Contract): AbilityDescription[] => {
  const draftFour = createDraft4Converter(contract);
  return Object.entries(contract.paths).flatMap(([path, item]) => {
    const name = ABILITY_PATH.exec(path)?.[1];
    const facts = item['x-ability'];
    if (!name || !facts) return [];
    return [describeAbility(name, item, facts, draftFour(abilityInputOf(contract, item)), draftFour)];
  });
});

function describeAbility(
  name: string,
  item: PathItem,
  facts: AbilityAnnotations,
  input: Record<string, unknown>,
  draftFour: (schema: Schema) => Record<string, unknown>,
): AbilityDescription {
  if (!input['required']) Object.assign(input, { type: ['object', 'null'], default: {} });
  const [operation] = verbsOf(item).map((verb) => item[verb]);
  const answer = jsonMediaOf(operation?.responses['200'])?.schema;
  const { readonly, destructive, idempotent, instructions = '' } = facts;
  return {
    name: `svc/${name}`,
    label: operation?.summary ?? name,
    description: descriptionWithoutErrors(operation ?? {}),
    category: facts.category,
    input_schema: input,
    output_schema: draftFour(answer ?? {}),
    meta: { annotations: { readonly, destructive, idempotent, instructions }, show_in_rest: true },
  };
}

const withLinks = (ability: AbilityDescription, base: string): Ability => ({
  ...ability,
  _links: {
    self: [{ href: `${base}/${ability.name}` }],
    collection: [{ href: base }],
    'wp:action-run': [{ href: `${base}/${ability.name}/run` }],
  },
});

export const CATEGORIES: Record<components['schemas']['CategorySlug'], { label: string; description: string }> = {
  'svc-sites': { label: 'Sites', description: 'Site records, their connection, plugins and themes.' },
  'svc-clients': { label: 'Clients', description: 'Clients, their sites and the costs of the sites.' },
  'svc-tags': { label: 'Tags', description: 'Labels for sites.' },
  'svc-updates': { label: 'Updates', description: 'Core, plugin, theme and translation updates of the sites.' },
  'svc-batch': {
    label: 'Batch jobs',
    description: 'Background jobs that process several sites.',
  },
};

function listCategories(base: string): Category[] {
  return Object.entries(CATEGORIES).map(([slug, { label, description }]) => ({
    slug,
    label,
    description,
    meta: {},
    _links: {
      self: [{ href: `${base}/categories/${slug}` }],
      collection: [{ href: `${base}/categories` }],
      abilities: [{ href: `${base}?category=${slug}` }],
    },
  }));
}

function pageResponse<T>(
  all: readonly T[],
  query: { page: number; per_page: number; category?: string; context: string; _fields?: string[] },
  address: string,
): { status: 200; body: T[]; headers: Record<string, string> } {
  const pages = Math.ceil(all.length / query.per_page);
  const at = (page: number): string =>
    `${address}?${new URLSearchParams({
      ...(query.category === undefined ? {} : { category: query.category }),
      ...(query.context === 'view' ? {} : { context: query.context }),
      ...(query._fields ? { _fields: query._fields.join(',') } : {}),
      per_page: String(query.per_page),
      page: String(page),
    }).toString()}`;
  const links = [
    ...(query.page > 1 ? [`<${at(Math.min(query.page - 1, pageCount(all.length, query.per_page)))}>; rel="prev"`] : []),
    ...(query.page < pages ? [`<${at(query.page + 1)}>; rel="next"`] : []),
  ];
  return {
    status: 200,
    body: all.slice((query.page - 1) * query.per_page, query.page * query.per_page),
    headers: {
      'X-WP-Total': String(all.length),
      'X-WP-TotalPages': String(pages),
      ...(links.length ? { Link: links.join(', ') } : {}),
    },
  };
}
