import { STATUS_CODES } from 'node:http';
import {
  deref,
  effectOf,
  parametersOf,
  errorCodesOf,
  type ContractResponse,
  type Effect,
  type Parameter,
  type Schema,
} from '../../src/contract/index.ts';
import { addressOf, methodOf, type OperationEntry } from './entries.ts';
import { errorExplanations } from './error-codes.ts';
import { docsExampleCall } from './example-call.ts';
import { fieldsFence, fieldsMarkdown } from './field-lists.ts';
import { fieldGroups, fieldOf, type Field, type FieldGroup } from './fields.ts';
import { itemErrorCodesOf, itemExplanation } from './item-errors.ts';
import { codeBlock, lowerHeadings, inlineText, safeText } from './markdown.ts';
import { keepFieldsOf } from './own-fields.ts';
import { keepOwnSentences } from './own-sentences.ts';
import { accessFacts } from './permissions.ts';
import { samplesOf } from './samples.ts';
import { seeAlsoLinks } from './see-also.ts';
import { siteCallFacts } from './site-calls.ts';

/** `site` is Markdown for our renderer, with tabs and collapsed parts. */
export type PageFormat = 'site' | 'plain';

interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { summary?: string; value: unknown }>;
}

interface Header {
  $ref?: string;
  description?: string;
  schema?: Schema;
}

const PARAMETER_TITLES = { path: 'Path parameters', query: 'Query parameters', header: 'Headers' } as const;

/** Operations that write, but record no change: checks, syncs, and what only starts or ends jobs or hides messages. */
export const WITHOUT_CHANGE_LOG: ReadonlySet<string> = new Set([
  ...['sync-sites-v1', 'check-site-v1', 'check-sites-v1'],
  ...['sites_sync', 'sites_sync_all', 'sites_check', 'sites_check_all', 'monitors_check'],
  ...['ssl_monitor_check', 'domain_monitor_check', 'perf_audit_run', 'perf_audit_run_all', 'sites_packages_check'],
  ...['jobs_cancel', 'jobs_retry_failed', 'schedules_run', 'tools_restore_info_messages', 'tools_dismiss_message'],
]);

export function operationPage(entry: OperationEntry, format: PageFormat): string {
  const sections = [
    `# ${entry.title}`,
    ...(format === 'plain' ? [codeBlock('http', `${methodOf(entry)} ${addressOf(entry)}`)] : []),
    lowerHeadings(safeText(entry.description), 1),
    ...summaryLines(entry),
    ...samplesSection(entry, format),
    ...parametersSection(entry, 'path', format),
    ...parametersSection(entry, 'query', format),
    ...bodySection(entry, format),
    ...responsesSection(entry, format),
    ...itemErrorsSection(entry),
    ...errorsSection(entry, format),
    // Most operations have the same headers, so they stand after what is particular to this one.
    ...parametersSection(entry, 'header', format),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function summaryLines(entry: OperationEntry): string[] {
  const { id, contract, place, alternatives } = entry;
  const { operation, item, verb } = place;
  const ability = item['x-ability'];
  const isWrite = ability ? !ability.readonly : verb !== 'get';
  const facts: string[] = [];
  facts.push(...accessFacts(entry));
  facts.push(...siteCallFacts(entry));
  if (operation['x-module']) facts.push(`Requires the module \`${operation['x-module']}\` to be active.`);
  const effect = operation['x-batch'] ? undefined : EFFECT_FACTS[effectOf(place)];
  if (effect !== undefined) facts.push(effect);
  if (ability?.instructions) facts.push(inlineText(ability.instructions));
  if (operation['x-batch']) facts.push(BATCH_CHANGES, BATCH_RUNS_AGAIN);
  else if (isWrite) {
    if (!WITHOUT_CHANGE_LOG.has(id)) facts.push('The change is recorded in the [change log](/guides/changes).');
    facts.push(repeatFact(place, alternatives));
  }
  if (hasETag(contract, operation.responses)) facts.push('The response has an [`ETag`](/guides/etags) header.');
  if (operation['x-batch'])
    facts.push('Runs several operations in one request, as described in [Batches](/guides/batches).');
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  const inputGroups = body ? fieldGroups(contract, body, true).flatMap(({ fields }) => fields[0]?.groups ?? []) : [];
  const further = alternatives.map(
    ({ method, address }) => `\`${method} ${address}\`${ability ? inputPlaceOf(method, inputGroups) : ''}`,
  );
  if (further.length > 0) facts.push(`Also available as ${further.join(' and ')}.`);
  const links = seeAlsoLinks(entry);
  if (links.length > 0) facts.push(`See also: ${links.join(', ')}.`);
  return facts.length === 0 ? [] : [facts.map((fact) => `- ${fact}`).join('\n')];
}

const EFFECT_FACTS: Partial<Record<Effect, string>> = {
  destroys: 'Destructive: AI agents should ask for confirmation before they call it.',
  'cuts-off': 'Ends a connection, an access or running work: AI agents should ask before they call it.',
  installs: 'Installs software on sites: AI agents should ask before they call it.',
};

const BATCH_CHANGES =
  'Changes are recorded in the [change log](/guides/changes). Deletions are final: AI agents should ask for confirmation before they send any.';
const BATCH_RUNS_AGAIN =
  'A repeat runs all items again: use an [`Idempotency-Key`](/guides/idempotency) for retries of the whole batch.';
const SAFE_TO_REPEAT = 'Safe to repeat: a second call leads to the same state.';
/** Deletions whose record has no trash and is named in the path or the input. */
const DELETES_RECORD =
  /^(?:delete-(?:site|client|tag)-v1|(?!(?:posts|pages|domain_monitor|sites_(?:plugins|themes))_)\w+_(?:delete|remove))$/;
const SAFE_TO_DELETE_AGAIN = `${SAFE_TO_REPEAT} It fails with 404, which a retry counts as success.`;
const RUNS_AGAIN = 'A repeat runs the operation again: use an [`Idempotency-Key`](/guides/idempotency) for retries.';

function repeatFact(place: OperationEntry['place'], alternatives: OperationEntry['alternatives']): string {
  if (!isSafeToRepeat(place, alternatives)) return RUNS_AGAIN;
  return DELETES_RECORD.test(place.id) ? SAFE_TO_DELETE_AGAIN : SAFE_TO_REPEAT;
}

/** Edits and deletions are safe to repeat; other operations say so themselves. */
function isSafeToRepeat(
  { item, operation, verb }: OperationEntry['place'],
  alternatives: OperationEntry['alternatives'],
): boolean {
  const methods = [verb, ...alternatives.map(({ method }) => method.toLowerCase())];
  return (
    item['x-ability']?.idempotent ?? (operation['x-idempotent'] === true || methods.some((each) => each !== 'post'))
  );
}

const hasETag = (contract: OperationEntry['contract'], responses: Record<string, ContractResponse>): boolean =>
  Object.entries(responses).some(
    ([status, response]) => status.startsWith('2') && 'ETag' in (deref(contract, response).headers ?? {}),
  );

const inputPlaceOf = (method: string, groups: readonly FieldGroup[]): string =>
  method === 'POST'
    ? ', with the [input](/guides/surfaces#input-of-an-ability) in the body'
    : `, with the [input](/guides/surfaces#input-of-an-ability) in the query, as \`input[<field>]=<value>\`.${listNotation(groups)}`.replace(
        /\.$/,
        '',
      );

function samplesSection(entry: OperationEntry, format: PageFormat): string[] {
  const samples = samplesOf(docsExampleCall(entry));
  if (format === 'plain')
    return [
      '## Example request',
      ...samples.flatMap(({ label, language, code }) => [`### ${label}`, codeBlock(language, code)]),
    ];
  return [
    '## Example request',
    [
      '<div class="tabs">',
      ...samples.map(({ label, language, code }) => codeBlock(language, code, label)),
      '</div>',
    ].join('\n\n'),
  ];
}

function parametersSection(
  { surface, contract, place }: OperationEntry,
  where: keyof typeof PARAMETER_TITLES,
  format: PageFormat,
): string[] {
  const parameters = parametersOf(contract, place).filter((each) => each.in === where);
  if (parameters.length === 0) return [];
  const fields = parameters.map((each) => parameterField(contract, each));
  const rules = where === 'query' && surface === 'v2' ? [queryRules(place.verb)] : [];
  return [`## ${PARAMETER_TITLES[where]}`, ...rules, fieldList([{ title: '', fields }], format)];
}

/** An empty list must not turn a deletion into one of all records. */
const queryRules = (verb: string): string =>
  `An empty parameter counts as not sent${verb === 'delete' ? ', unless it is a list' : ''}. An unknown one fails with 400.`;

/** Says how a query contains lists, if the input of an ability has any. */
const listNotation = (groups: readonly FieldGroup[]): string => {
  const list = groups.flatMap(({ fields }) => fields).find(({ type }) => type.startsWith('array of'));
  return list === undefined
    ? ''
    : ` Write a list as \`input[${list.name}]=<value>,<value>\` or as \`input[${list.name}][]=<value>\` for each value.`;
};

function parameterField(contract: OperationEntry['contract'], parameter: Parameter): Field {
  const { name, required = false, schema = {} } = parameter;
  const { description, example } = parameter as { description?: string; example?: unknown };
  const target = { ...deref(contract, schema), description, ...('default' in schema && { default: schema.default }) };
  const reading = { contract, isInput: true };
  const groups = fieldGroups(contract, schema, true);
  const plain = fieldOf(reading, name, target, required, groups);
  const field = name === 'input' ? { ...plain, description: plain.description + listNotation(groups) } : plain;
  const isScalar = ['string', 'number', 'boolean'].includes(typeof example);
  return isScalar ? { ...field, example: String(example) } : field;
}

const fieldList = (groups: readonly FieldGroup[], format: PageFormat): string =>
  format === 'site' ? fieldsFence(groups) : fieldsMarkdown(groups).join('\n');

function bodySection(entry: OperationEntry, format: PageFormat): string[] {
  const { contract, place } = entry;
  const { content = {}, required } = place.operation.requestBody ?? {};
  const [[type, media] = []] = Object.entries(content);
  if (!media || !type) return [];
  const groups = keepFieldsOf(entry, fieldGroups(contract, media.schema, true));
  const minFields = Number(deref(contract, media.schema)['minProperties'] ?? 0);
  return [
    '## Request body',
    [
      `Content type: \`${type}\`. The body is ${required ? 'required' : 'optional'}.`,
      ...(minFields > 0 ? [`Send at least ${minFields} ${minFields === 1 ? 'field' : 'fields'}.`] : []),
      ...(type === 'application/json' && !place.operation['x-batch'] ? [FIELD_RULES] : []),
    ].join(' '),
    ...(groups.length === 0 ? [] : [fieldList(groups, format)]),
  ];
}

const FIELD_RULES = 'An unknown field fails with 400, and so does `null` for a field whose type does not include it.';

function responsesSection(entry: OperationEntry, format: PageFormat): string[] {
  const { contract, place } = entry;
  const successes = Object.entries(place.operation.responses).filter(([status]) => status.startsWith('2'));
  return [
    '## Responses',
    ...successes.flatMap(([status, reference]) => {
      const response = deref(contract, reference);
      const content = Object.entries((response.content ?? {}) as Record<string, Media>);
      const groups = content
        .filter(([type]) => type === 'application/json')
        .flatMap(([, { schema }]) =>
          keepFieldsOf(entry, fieldGroups(contract, schema, false, itemErrorCodesOf(contract, place))),
        );
      return [
        `### ${status} ${STATUS_CODES[status] ?? ''}`.trim(),
        lowerHeadings(safeText(response.description ?? ''), 3),
        ...content.flatMap(([type, media]) => [
          ...contentOf(contract, content.length > 1, type, media),
          ...examplesOf(type, media),
        ]),
        ...(groups.length === 0 ? [] : ['#### Response body', fieldList(groups, format)]),
        ...headersOf(contract, response, format),
      ];
    }),
  ];
}

/** Names the content type if there are several or it is not JSON, which has a list of fields. */
function contentOf(contract: OperationEntry['contract'], hasOthers: boolean, type: string, media: Media): string[] {
  const isJson = type === 'application/json';
  if (isJson && !hasOthers) return [];
  const { description } = deref(contract, media.schema);
  const text = isJson || typeof description !== 'string' ? '' : inlineText(description);
  return [`Content type \`${type}\`: ${text}`.trim()];
}

function examplesOf(type: string, { example, examples }: Media): string[] {
  const shown = examples ? Object.values(examples) : [{ summary: '', value: example }];
  return shown
    .filter(({ value }) => value !== undefined)
    .flatMap(({ summary, value }) => [
      ...(summary ? [`${inlineText(summary)}:`] : []),
      typeof value === 'string' && type !== 'application/json'
        ? codeBlock(type === 'text/html' ? 'html' : 'text', value.trimEnd())
        : codeBlock('json', JSON.stringify(value, null, 2)),
    ]);
}

function headersOf(
  contract: OperationEntry['contract'],
  { headers = {} }: ContractResponse,
  format: PageFormat,
): string[] {
  const fields = Object.entries(headers).map(([name, header]) => {
    const { description = '', schema = {} } = deref(contract, header as Header);
    return fieldOf({ contract, isInput: false }, name, { ...deref(contract, schema), description }, false, []);
  });
  return fields.length === 0 ? [] : ['#### Response headers', fieldList([{ title: '', fields }], format)];
}

/** Explains the codes that the items in the lists of errors of a response have. */
function itemErrorsSection(entry: OperationEntry): string[] {
  const { contract, place } = entry;
  const codes = itemErrorCodesOf(contract, place);
  if (codes.length === 0) return [];
  const explanations = errorExplanations(contract);
  return [
    '## Errors of single items',
    'The response lists these errors, and the call itself succeeds. ' +
      '[Causes](/guides/errors#causes) lists the values of `reason`.',
    [
      '| Code | Meaning | What to do |',
      '| --- | --- | --- |',
      ...codes.map((code) => {
        const { meaning, remedy } = explanations.get(code) ?? NO_EXPLANATION;
        const texts = [meaning, remedy].map((text) => inlineText(itemExplanation(keepOwnSentences(text, entry))));
        return `| \`${code}\` | ${texts.join(' | ')} |`;
      }),
    ].join('\n'),
  ];
}

interface DocumentedError {
  status: string;
  code: string;
  /** General, because operations of different records share a code. */
  meaning: string;
  remedy: string;
  example: object | undefined;
}

const CAUSES =
  '[Causes](/guides/errors#causes) lists the values of `data.layer`, `data.reason` and `data.outcome`, with remedies.';

function errorsSection(entry: OperationEntry, format: PageFormat): string[] {
  const { contract, place } = entry;
  const explanations = errorExplanations(contract);
  const errors: DocumentedError[] = [...errorCodesOf(contract, place)].flatMap(([status, codes]) => {
    const { content } = deref(contract, place.operation.responses[status] ?? {});
    const { examples = {} } = (content?.['application/json'] ?? {}) as Media;
    return codes.map((code) => {
      const { meaning, remedy } = explanations.get(code) ?? NO_EXPLANATION;
      return {
        status,
        code,
        meaning: keepOwnSentences(meaning, entry),
        remedy: keepOwnSentences(remedy, entry),
        example: examples[code]?.value as DocumentedError['example'],
      };
    });
  });
  const isOwn = ({ code }: DocumentedError): boolean => place.operation['x-errors']?.includes(code) ?? false;
  const own = errors.filter(isOwn);
  const common = errors.filter((each) => !isOwn(each));
  // The example of invalid input has a field of `input`, which only abilities have.
  const hasExample = ({ code }: DocumentedError): boolean =>
    code !== 'ability_invalid_input' || 'x-ability' in place.item;
  const example = [...own, ...errors].find(hasExample)?.example;
  const introduction = [
    'Each error has a status and a code. [Errors](/guides/errors) describes the format and lists all codes.',
    ...(own.some(({ code }) => CODES_WITH_CAUSE.has(code)) ? [CAUSES] : []),
  ];
  return [
    '## Errors',
    introduction.join(' '),
    ...(example === undefined ? [] : [codeBlock('json', JSON.stringify(example, null, 2))]),
    ...(own.length === 0 ? [] : [errorTable(own)]),
    ...(common.length === 0 ? [] : collapsibleSection('Common errors', errorTable(common), format)),
  ];
}

const NO_EXPLANATION = { meaning: '', remedy: '' };
const CODES_WITH_CAUSE: ReadonlySet<string> = new Set([
  ...['svc_site_refused', 'svc_site_unreachable', 'svc_site_bad_answer', 'svc_outcome_unknown', 'svc_update_failed'],
]);

const errorTable = (errors: readonly DocumentedError[]): string =>
  [
    '| Code | Status | Meaning | What to do |',
    '| --- | --- | --- | --- |',
    ...errors.map(
      ({ status, code, meaning, remedy }) =>
        `| \`${code}\` | ${status} | ${inlineText(meaning)} | ${inlineText(remedy)} |`,
    ),
  ].join('\n');

const collapsibleSection = (title: string, content: string, format: PageFormat): string[] =>
  format === 'plain' ? [`### ${title}`, content] : [`<details><summary>${title}</summary>\n\n${content}\n\n</details>`];
