import { deref, inputOf, jsonOf, parametersOf, type Contract, type LocatedOperation } from '../../contract/index.ts';
import { compileAnswer, type Rewrite } from './answer-rewriting.ts';
import { compileReader, type FieldRules, type Read } from './input-reader.ts';
import type { FieldRow, OperationRow, SurfaceOf, Template } from './table/rows.ts';
import { compileTemplate, type Render } from './template.ts';

/** How one operation of ours is called and answered on the mount; made when it is first called. */
export interface OperationPlan {
  id: string;
  takesBody: boolean;
  /** Names that its query may have; null for an ability, whose query holds `input`. */
  queryNames: ReadonlySet<string> | null;
  /** Their name of a parameter of the query → ours. */
  queryAliases: ReadonlyMap<string, string>;
  /** Fields of its body, which a query may carry too. */
  bodyNames: ReadonlySet<string>;
  words: FieldRules['words'];
  defaults: readonly (readonly [name: string, value: unknown])[];
  paged: OperationRow['paged'] | null;
  /** Reads the input of an ability, or a body. */
  read: Read;
  /** Whether the input of a query has to be looked at. */
  readsQuery: boolean;
  /** Names that begin so in an answer, or words in it that are ours. */
  rewrite: Rewrite | null;
  answer: readonly (readonly [name: string, render: Render])[];
  items: readonly { of: string; add: readonly (readonly [name: string, render: Render])[] }[];
  /** Our name of a field → theirs, for refusals that name it. */
  theirNames: ReadonlyMap<string, string>;
}

export interface PlanOptions {
  contract: Contract;
  surface: SurfaceOf;
  rows: readonly OperationRow[];
  fields: readonly FieldRow[];
  address: (text: string) => string;
}

export const rowsOf = (rows: readonly OperationRow[], surface: SurfaceOf, id: string): OperationRow[] =>
  rows.filter((row) => row.surface === surface && (row.operations.includes(id) || row.operations.includes('*')));

export function planOf(options: PlanOptions, place: LocatedOperation): OperationPlan {
  const { contract, surface } = options;
  const { operation, item, id } = place;
  const rows = rowsOf(options.rows, surface, id);
  const rules = rulesOf(rows);
  const ability = item['x-ability'] !== undefined;
  const [media] = Object.values(operation.requestBody?.content ?? {});
  const bodySchema = ability ? inputOf(contract, item) : (media?.schema ?? {});
  const { properties = {}, 'x-aliases': spelled = {} } = deref(contract, bodySchema);
  const query = ability ? null : queryOf(options, place);
  const paged = rows.find((row) => row.paged)?.paged ?? null;
  const defaults = rows.flatMap((row) => Object.entries(row.defaults ?? {}));
  const answered = Object.keys(operation.responses)
    .filter((status) => status.startsWith('2'))
    .map((status) => jsonOf(deref(contract, operation.responses[status] ?? {}))?.schema)
    .filter((schema) => schema !== undefined);
  return {
    id,
    takesBody: operation.requestBody !== undefined,
    queryNames: query && new Set(query),
    queryAliases: rules.names,
    bodyNames: new Set([...Object.keys(properties), ...Object.keys(spelled), ...rules.names.keys()]),
    words: rules.words,
    defaults,
    paged,
    read: compileReader(contract, bodySchema, rules),
    readsQuery: rules.open || rules.names.size > 0 || rules.words.size > 0 || defaults.length > 0 || paged !== null,
    rewrite: compileAnswer(contract, answered, options),
    answer: rows.flatMap(({ answer = {} }) => rendersOf(answer)),
    items: rows.flatMap(({ items }) => (items ? [{ of: items.of, add: rendersOf(items.add) }] : [])),
    theirNames: new Map([...rules.names].map(([theirs, ours]) => [ours, theirs] as const)),
  };
}

const rendersOf = (templates: Readonly<Record<string, Template>>): (readonly [string, Render])[] =>
  Object.entries(templates).map(([name, template]) => [name, compileTemplate(template)] as const);

function rulesOf(rows: readonly OperationRow[]): FieldRules {
  const words = new Map<string, Record<string, unknown>>();
  for (const row of rows)
    for (const [name, more] of Object.entries(row.words ?? {})) words.set(name, { ...words.get(name), ...more });
  return {
    names: new Map(rows.flatMap((row) => Object.entries(row.input ?? {}))),
    prefixes: rows.flatMap((row) => Object.entries(row.prefix ?? {})),
    words,
    refused: new Set(rows.flatMap((row) => row.refused ?? [])),
    open: rows.some((row) => row.open),
  };
}

function queryOf({ contract }: PlanOptions, place: LocatedOperation): string[] {
  return parametersOf(contract, place)
    .filter((each) => each.in === 'query')
    .flatMap(({ name, 'x-aliases': aliases = {} }) => [name, ...Object.keys(aliases)]);
}
