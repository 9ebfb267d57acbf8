import type { OperationRow } from './table/row-types.ts';

type CatalogueNode = Record<string, unknown>;

const isCatalogueNode = (value: unknown): value is CatalogueNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface CatalogueTranslatorOptions {
  /** Takes the name of an ability without its namespace. */
  rowsOf: (name: string) => readonly OperationRow[];
  translateUrl: (text: string) => string;
}

/**
 * Converts the catalogue of abilities to the names of MainWP Dashboard. The result is cached, because an ability is the
 * same for all callers.
 */
export class CatalogueTranslator {
  readonly #cache = new WeakMap<object, CatalogueNode>();
  readonly #options: CatalogueTranslatorOptions;

  constructor(words: CatalogueTranslatorOptions) {
    this.#options = words;
  }

  translate(body: unknown): unknown {
    return Array.isArray(body) ? body.map((each) => this.#entry(each)) : this.#entry(body);
  }

  #entry(entry: unknown): unknown {
    if (!isCatalogueNode(entry)) return entry;
    const kept = this.#cache.get(entry);
    if (kept) return kept;
    const made = this.#translate(entry);
    this.#cache.set(entry, made);
    return made;
  }

  #translate({ _links: links, ...entry }: CatalogueNode): CatalogueNode {
    const name = typeof entry['name'] === 'string' ? entry['name'].replace(/^svc\//, '') : '';
    const renamed = JSON.parse(
      JSON.stringify(entry).replaceAll('"svc/', '"mainwp/').replaceAll('svc_', 'mainwp_').replaceAll('svc-', 'mainwp-'),
    ) as CatalogueNode;
    const rows = this.#options.rowsOf(name);
    if (isCatalogueNode(renamed['input_schema'])) renameInputFields(renamed['input_schema'], rows);
    if (isCatalogueNode(renamed['output_schema'])) allowAddedOutputFields(renamed['output_schema'], rows);
    return links === undefined ? renamed : { ...renamed, _links: this.#links(links) };
  }

  #links(value: unknown): unknown {
    if (typeof value === 'string') return this.#options.translateUrl(value);
    if (Array.isArray(value)) return value.map((each) => this.#links(each));
    if (!isCatalogueNode(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#links(each)]));
  }
}

/**
 * Renames the fields to those of MainWP Dashboard. Requests may use the names of this service too, but the catalogue
 * does not list them.
 */
function renameInputFields(schema: CatalogueNode, rows: readonly OperationRow[]): void {
  const properties = isCatalogueNode(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
  const names = new Map<string, string>();
  for (const row of rows)
    for (const [theirs, ours] of Object.entries(row.input ?? {}))
      if (ours in properties && !names.has(ours)) names.set(ours, theirs);
  const defaults = Object.assign({}, ...rows.map((row) => row.defaults ?? {})) as CatalogueNode;
  const renamed = Object.entries(properties).map(([name, each]) => [
    names.get(name) ?? name,
    isCatalogueNode(each) && name in defaults ? { ...each, default: defaults[name] } : each,
  ]);
  const paged = rows.find((row) => row.paged)?.paged;
  const paging = paged
    ? {
        page: { type: 'integer', minimum: 1, default: 1 },
        per_page: { type: 'integer', minimum: 1, maximum: paged.max, default: paged.perPage },
      }
    : {};
  schema['properties'] = { ...Object.fromEntries(renamed), ...paging };
  const needed = required.filter((name) => !(name in defaults)).map((name) => names.get(name) ?? name);
  if (needed.length > 0) schema['required'] = needed;
  else delete schema['required'];
  if (rows.some((row) => row.allowsUnknown)) delete schema['additionalProperties'];
}

function allowAddedOutputFields(schema: CatalogueNode, rows: readonly OperationRow[]): void {
  const added = rows.flatMap((row) => [
    ...Object.keys(row.responseFields ?? {}),
    ...(row.itemFields ? [row.itemFields.of] : []),
    ...(row.paged ? [row.paged.from, row.paged.as, 'page', 'per_page'] : []),
  ]);
  if (added.length === 0) return;
  const variants = ['anyOf', 'oneOf'].flatMap((word) =>
    Array.isArray(schema[word]) ? (schema[word] as CatalogueNode[]) : [],
  );
  for (const each of [schema, ...variants]) {
    if (!isCatalogueNode(each['properties'])) continue;
    delete each['additionalProperties'];
    const gone = new Set(rows.flatMap((row) => (row.paged ? [row.paged.from] : [])));
    if (Array.isArray(each['required'])) each['required'] = each['required'].filter((name) => !gone.has(String(name)));
    each['properties'] = { ...each['properties'], ...Object.fromEntries(added.map((name) => [name, {}])) };
  }
}
