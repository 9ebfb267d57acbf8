import type { Verb } from '../../../src/contract/index.ts';
import { readErrorCodes } from '../error-codes.ts';
import type { Surface } from '../../../src/contract/surfaces.ts';

interface OperationErrors {
  surface: Surface;
  verb: Verb;
  codes: string[];
}

export interface SharedCodes {
  groups: Map<string, string[]>;
  /** The type of the codes of an operation. */
  typeOf: (surface: Surface, verb: Verb, codes: string[]) => string;
}

const groupOf = (surface: Surface, verb: Verb): string =>
  `${surface === 'abilities' ? 'Ability' : 'Route'}${verb === 'get' ? 'Read' : 'Write'}`;

/** The codes that all reads and all other calls of a surface can meet, so that an operation names its own alone. */
export function sharedCodes(all: OperationErrors[]): SharedCodes {
  const groups = new Map<string, string[]>();
  for (const { surface, verb, codes } of all) {
    const name = groupOf(surface, verb);
    groups.set(
      name,
      (groups.get(name) ?? codes).filter((code) => codes.includes(code)),
    );
  }
  const typeOf: SharedCodes['typeOf'] = (surface, verb, codes) => {
    const name = groupOf(surface, verb);
    const own = codes.filter((code) => !groups.get(name)?.includes(code));
    return [name, ...own.map((code) => `'${code}'`)].join(' | ');
  };
  return { groups, typeOf };
}

/** Every code with its status, for callers that look at an error they did not narrow. */
export function errorsFile({ groups }: SharedCodes): string {
  const codes = Object.entries(readErrorCodes()).map(([code, { status }]) => `  ${code}: ${status},`);
  const types = [...groups].map(
    ([name, members]) => `export type ${name} = ${members.map((code) => `'${code}'`).join(' | ')};`,
  );
  return [
    'export const ERROR_STATUSES = {',
    ...codes,
    '} as const;',
    'export type ErrorCode = keyof typeof ERROR_STATUSES;',
    '/** Fields of `data` besides `status`, by error code. */',
    'interface FieldsOf {',
    ...fieldsOf(),
    '}',
    '/** Type of `data` for an error code. */',
    'export type ErrorDetails<Code extends ErrorCode> = { status: (typeof ERROR_STATUSES)[Code] } & (Code extends keyof FieldsOf',
    '  ? FieldsOf[Code]',
    '  : unknown);',
    ...types,
    '',
  ].join('\n');
}

function fieldsOf(): string[] {
  const pick = (names: string[] | undefined, wrap: 'Required' | 'Partial'): string[] =>
    names?.length ? [`${wrap}<Pick<ErrorData, ${names.map((name) => `'${name}'`).join(' | ')}>>`] : [];
  return Object.entries(readErrorCodes()).flatMap(([code, { data, data_at_times: atTimes }]) => {
    const fields = [...pick(data, 'Required'), ...pick(atTimes, 'Partial')];
    return fields.length ? [`  ${code}: ${fields.join(' & ')};`] : [];
  });
}
