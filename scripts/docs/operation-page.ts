/** The page of an operation, for the site and as plain Markdown. */
import {
  deref,
  parametersOf,
  errorCodesOf,
  type ContractResponse,
  type Parameter,
  type Schema,
} from '../../src/contract/index.ts';
import { addressOf, methodOf, type OperationEntry } from './entries.ts';
import { docsExampleCall } from './example-call.ts';
import { fieldList, typeOf } from './fields.ts';
import { codeBlock, lowerHeadings, inlineText, safeText } from './markdown.ts';
import { samplesOf } from './samples.ts';

/** `site` has tabs and folded parts, `twin` is what every reader of Markdown shows. */
export type PageFormat = 'site' | 'twin';

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

const KINDS: Record<string, string> = { path: 'Path', query: 'Query', header: 'Headers' };
const PERMISSIONS = {
  read: 'Every caller may read this.',
  write: 'The caller must be allowed to change records.',
  admin: 'The caller must be an administrator.',
};

export function operationPage(entry: OperationEntry, form: PageFormat): string {
  const sections = [
    `# ${entry.title}`,
    ...(form === 'twin' ? [codeBlock('http', `${methodOf(entry)} ${addressOf(entry)}`)] : []),
    lowerHeadings(safeText(entry.description), 1),
    ...summaryLines(entry),
    ...samplesSection(entry, form),
    ...parametersSection(entry),
    ...bodySection(entry),
    ...responseSection(entry, form),
    ...errorsSection(entry, form),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function summaryLines({ place, furtherVerbs }: OperationEntry): string[] {
  const { operation, item, verb } = place;
  const isWrite = item['x-ability'] ? !item['x-ability'].readonly : verb !== 'get';
  const facts: string[] = [];
  const permission = operation['x-permission'];
  if (permission) facts.push(PERMISSIONS[permission]);
  if (operation['x-module']) facts.push(`The module \`${operation['x-module']}\` must be on.`);
  if (item['x-ability']?.destructive) facts.push('It is destructive.');
  if (item['x-ability']?.instructions) facts.push(inlineText(item['x-ability'].instructions));
  if (isWrite && !operation['x-batch']) facts.push('The change log tells of it.');
  if (operation['x-etag']) facts.push('Its answer carries an `ETag`.');
  if (operation['x-batch']) facts.push('It may stand in a batch.');
  const further = furtherVerbs.map(({ method, address }) => `\`${method} ${address}\``);
  if (further.length > 0) facts.push(`The same is done by ${further.join(' and ')}.`);
  return facts.length === 0 ? [] : [facts.map((fact) => `- ${fact}`).join('\n')];
}

function samplesSection(entry: OperationEntry, form: PageFormat): string[] {
  const samples = samplesOf(docsExampleCall(entry));
  if (form === 'twin')
    return [
      '## Example',
      ...samples.flatMap(({ label, language, code }) => [`### ${label}`, codeBlock(language, code)]),
    ];
  return [
    '## Example',
    [
      '<div class="tabs">',
      ...samples.map(({ label, language, code }) => codeBlock(language, code, label)),
      '</div>',
    ].join('\n\n'),
  ];
}

function parametersSection({ contract, place }: OperationEntry): string[] {
  const parameters = parametersOf(contract, place);
  return Object.entries(KINDS).flatMap(([where, title]) => {
    const those = parameters.filter((each) => each.in === where);
    if (those.length === 0) return [];
    return [`## ${title}`, those.flatMap((each) => parameterLines(contract, each)).join('\n')];
  });
}

function parameterLines(contract: OperationEntry['contract'], parameter: Parameter): string[] {
  const { name, required, schema = {} } = parameter;
  const { description, example } = parameter as { description?: string; example?: unknown };
  const target = {
    ...deref(contract, schema),
    description,
    ...('default' in schema ? { default: schema.default } : {}),
  };
  const [line = ''] = fieldList(contract, { properties: { [name]: target }, required: required ? [name] : [] }, true);
  const isScalar = ['string', 'number', 'boolean'].includes(typeof example);
  return [
    isScalar ? `${line} Example: \`${String(example)}\`.` : line,
    ...fieldList(contract, schema, true).map((each) => `  ${each}`),
  ];
}

function bodySection({ contract, place }: OperationEntry): string[] {
  const [[type, media] = []] = Object.entries(place.operation.requestBody?.content ?? {});
  if (!media || !type) return [];
  const lines = fieldList(contract, media.schema, true);
  const asForm = type === 'application/json' ? 'JSON' : `\`${type}\``;
  const need = place.operation.requestBody?.required ? '' : ' It may be left out.';
  return ['## Body', `${asForm}.${need}`, lines.join('\n')];
}

function responseSection({ contract, place }: OperationEntry, form: PageFormat): string[] {
  return Object.entries(place.operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, response]) => {
      const answer = deref(contract, response);
      const content = Object.entries((answer.content ?? {}) as Record<string, Media>);
      return [
        `## Answer ${status}`,
        lowerHeadings(safeText(answer.description ?? ''), 2),
        ...content.flatMap(([type, media]) => examplesOf(type, media)),
        ...headersOf(contract, answer),
        ...content
          .filter(([type]) => type === 'application/json')
          .flatMap(([, { schema }]) =>
            collapsibleSection('Fields of the answer', fieldList(contract, schema, false), form),
          ),
      ];
    });
}

function examplesOf(type: string, { example, examples }: Media): string[] {
  const shown = examples ? Object.values(examples) : [{ summary: '', value: example }];
  return shown
    .filter(({ value }) => value !== undefined)
    .flatMap(({ summary, value }) => [
      ...(summary ? [`${inlineText(summary)}:`] : []),
      typeof value === 'string' && type !== 'application/json'
        ? `\`${type}\`:\n\n${codeBlock(type === 'text/html' ? 'html' : 'text', value.trimEnd())}`
        : codeBlock('json', JSON.stringify(value, null, 2)),
    ]);
}

function headersOf(contract: OperationEntry['contract'], { headers = {} }: ContractResponse): string[] {
  const lines = Object.entries(headers).map(([name, header]) => {
    const { description = '', schema = {} } = deref(contract, header as Header);
    return `- \`${name}\` ${typeOf(contract, schema)}: ${inlineText(description)}`;
  });
  return lines.length === 0 ? [] : ['Headers:', lines.join('\n')];
}

function collapsibleSection(title: string, lines: string[], form: PageFormat): string[] {
  if (lines.length === 0) return [];
  const list = lines.join('\n');
  return form === 'twin' ? [`### ${title}`, list] : [`<details><summary>${title}</summary>\n\n${list}\n\n</details>`];
}

function errorsSection({ contract, place }: OperationEntry, form: PageFormat): string[] {
  const errors = [...errorCodesOf(contract, place)].flatMap(([status, codes]) => {
    const { content } = deref(contract, place.operation.responses[status] ?? {});
    const { examples = {} } = (content?.['application/json'] ?? {}) as Media;
    return codes.map((code) => ({ status, code, example: examples[code]?.value as { message: string } | undefined }));
  });
  const lines = errors.map(
    ({ status, code, example }) => `- ${status} \`${code}\`: ${inlineText(example?.message ?? '')}`,
  );
  // An error of this operation alone tells more than one that every operation has.
  const own = errors.find(({ code }) => place.operation['x-errors']?.includes(code)) ?? errors[0];
  const example = own?.example;
  return [
    '## Refusals',
    ...(example === undefined ? [] : [codeBlock('json', JSON.stringify(example, null, 2))]),
    ...collapsibleSection('Codes', lines, form),
  ];
}
