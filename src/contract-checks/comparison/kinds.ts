/**
 * Effect of a change on callers that use the earlier contract.
 *
 * The service rejects requests that do not fit the contract, so a change is breaking if the service accepts less.
 * Generated clients check responses (closed enums, limits, required fields), so a change is also breaking if a response
 * can be something that the earlier contract did not allow.
 */
export type Level = 'breaking' | 'additive' | 'editorial';

const BREAKING = [
  'base-changed',
  'operation-removed',
  'operation-moved',
  'operation-renamed',
  'security-tightened',
  'permission-changed',
  'module-required',
  'promise-weakened',
  'parameter-removed',
  'parameter-renamed',
  'parameter-required',
  'parameter-written-otherwise',
  'body-required',
  'body-removed',
  'input-content-type-removed',
  'input-field-removed',
  'input-field-renamed',
  'input-field-required',
  'input-type-narrowed',
  'input-null-refused',
  'input-value-removed',
  'input-limit-tightened',
  'input-pattern-changed',
  'input-format-changed',
  'input-variant-removed',
  'input-spelling-removed',
  'input-closed',
  'default-changed',
  'status-removed',
  'success-added',
  'error-code-removed',
  'content-type-removed',
  'header-removed',
  'field-removed',
  'field-renamed',
  'field-optional',
  'field-nullable',
  'type-changed',
  'format-changed',
  'pattern-changed',
  'limit-loosened',
  'value-added',
  'value-removed',
  'variant-added',
  'answer-opened',
] as const;

const ADDITIVE = [
  'operation-added',
  'operation-deprecated',
  'security-loosened',
  'permission-lowered',
  'module-dropped',
  'promise-strengthened',
  'parameter-added',
  'parameter-optional',
  'body-optional',
  'body-added',
  'input-content-type-added',
  'input-field-added',
  'input-field-optional',
  'input-widened',
  'input-opened',
  'default-added',
  'status-added',
  'error-code-added',
  'content-type-added',
  'header-added',
  'field-added',
  'field-always',
  'known-value-added',
  'answer-narrowed',
  'deprecated',
] as const;

const EDITORIAL = ['wording', 'schema-renamed'] as const;

export const KINDS = { breaking: BREAKING, additive: ADDITIVE, editorial: EDITORIAL };
export type Kind = (typeof BREAKING)[number] | (typeof ADDITIVE)[number] | (typeof EDITORIAL)[number];

const LEVELS = new Map<string, Level>(
  (Object.keys(KINDS) as Level[]).flatMap((level) => KINDS[level].map((kind) => [kind, level] as const)),
);
export const levelOf = (kind: Kind): Level => LEVELS.get(kind) as Level;
export const isBreakingKind = (kind: string): boolean => LEVELS.get(kind) === 'breaking';

export interface Difference {
  kind: Kind;
  /** Name in the changelog: `sites_get.query.page`, or `Site.name` for a schema of several operations. */
  subject: string;
  message: string;
}

export interface Change extends Difference {
  level: Level;
  surface: string;
  operations: string[];
}
