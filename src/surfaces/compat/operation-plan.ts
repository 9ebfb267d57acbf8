import {
  deref,
  abilityInputOf,
  jsonMediaOf,
  parametersOf,
  type Contract,
  type LocatedOperation,
} from '../../contract/index.ts';
import { compileResponseRewrite, type Rewrite } from './response-rewriting.ts';
import { compileInputReader, type FieldRules, type LenientConversion } from './input-reader.ts';
import type { SurfaceName } from '../generated-files.ts';
import type { FieldRow, OperationRow, Template } from './table/row-types.ts';
import { compileTemplate, type Render } from './template.ts';

/**
 * Rules for one operation of the compat layer, compiled on its first call. `their` names are those of MainWP Dashboard.
 */
export interface OperationPlan {
  id: string;
  takesBody: boolean;
  /** Null for an ability, whose query contains only `input`. */
  queryNames: ReadonlySet<string> | null;
  queryAliases: ReadonlyMap<string, string>;
  /** Body fields, which the query may contain too. */
  bodyNames: ReadonlySet<string>;
  valueMaps: FieldRules['valueMaps'];
  defaults: readonly (readonly [name: string, value: unknown])[];
  paged: OperationRow['paged'] | null;
  readBody: LenientConversion;
  hasInputRules: boolean;
  rewriteResponse: Rewrite | null;
  responseFields: readonly (readonly [name: string, render: Render])[];
  itemFields: readonly { of: string; add: readonly (readonly [name: string, render: Render])[] }[];
  theirNames: ReadonlyMap<string, string>;
}

export interface PlanOptions {
  contract: Contract;
  surface: SurfaceName;
  rows: readonly OperationRow[];
  fields: readonly FieldRow[];
  translateUrl: (text: string) => string;
}

export const rowsOfOperation = (rows: readonly OperationRow[], surface: SurfaceName, id: string): OperationRow[] =>
  rows.filter((row) => row.surface === surface && (row.operations.includes(id) || row.operations.includes('*')));

export function createOperationPlan(options: PlanOptions, place: LocatedOperation): OperationPlan {
  const { contract, surface } = options;
  const { operation, item, id } = place;
  const rows = rowsOfOperation(options.rows, surface, id);
  const rules = fieldRulesOf(rows);
  const ability = item['x-ability'] !== undefined;
  const [media] = Object.values(operation.requestBody?.content ?? {});
  const bodySchema = ability ? abilityInputOf(contract, item) : (media?.schema ?? {});
  const { properties = {}, 'x-aliases': spelled = {} } = deref(contract, bodySchema);
  const query = ability ? null : queryNamesOf(options, place);
  const paged = rows.find((row) => row.paged)?.paged ?? null;
  const defaults = rows.flatMap((row) => Object.entries(row.defaults ?? {}));
  const answered = Object.keys(operation.responses)
    .filter((status) => status.startsWith('2'))
    .map((status) => jsonMediaOf(deref(contract, operation.responses[status] ?? {}))?.schema)
    .filter((schema) => schema !== undefined);
  return {
    id,
    takesBody: operation.requestBody !== undefined,
    queryNames: query && new Set(query),
    queryAliases: rules.names,
    bodyNames: new Set([...Object.keys(properties), ...Object.keys(spelled), ...rules.names.keys()]),
    valueMaps: rules.valueMaps,
    defaults,
    paged,
    readBody: compileInputReader(contract, bodySchema, rules),
    hasInputRules:
      rules.allowsUnknown || rules.names.size > 0 || rules.valueMaps.size > 0 || defaults.length > 0 || paged !== null,
    rewriteResponse: compileResponseRewrite(contract, answered, options),
    responseFields: rows.flatMap(({ responseFields: answer = {} }) => compileTemplates(answer)),
    itemFields: rows.flatMap(({ itemFields: items }) =>
      items ? [{ of: items.of, add: compileTemplates(items.add) }] : [],
    ),
    theirNames: new Map([...rules.names].map(([theirs, ours]) => [ours, theirs] as const)),
  };
}

const compileTemplates = (templates: Readonly<Record<string, Template>>): (readonly [string, Render])[] =>
  Object.entries(templates).map(([name, template]) => [name, compileTemplate(template)] as const);

function fieldRulesOf(rows: readonly OperationRow[]): FieldRules {
  const words = new Map<string, Record<string, unknown>>();
  for (const row of rows)
    for (const [name, more] of Object.entries(row.valueMaps ?? {})) words.set(name, { ...words.get(name), ...more });
  return {
    names: new Map(rows.flatMap((row) => Object.entries(row.input ?? {}))),
    prefixes: rows.flatMap((row) => Object.entries(row.prefix ?? {})),
    valueMaps: words,
    rejectedFields: new Set(rows.flatMap((row) => row.rejectedFields ?? [])),
    allowsUnknown: rows.some((row) => row.allowsUnknown),
  };
}

function queryNamesOf({ contract }: PlanOptions, place: LocatedOperation): string[] {
  return parametersOf(contract, place)
    .filter((each) => each.in === 'query')
    .flatMap(({ name, 'x-aliases': aliases = {} }) => [name, ...Object.keys(aliases)]);
}
