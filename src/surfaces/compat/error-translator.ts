import type { TranslatedResponse } from '../../http/request-translation.ts';
import { toMainwpCode, toMainwpName } from './response-rewriting.ts';
import type { SurfaceName } from '../generated-files.ts';
import type { ErrorRow } from './table/row-types.ts';

interface ErrorEnvelope {
  code: string;
  message: string;
  data: { status: number; errors?: { path: string; message: string }[]; [name: string]: unknown };
}

export interface FailedCall {
  surface: SurfaceName;
  hasBearer: boolean;
  isAbilityRun: boolean;
  isFirstParameterNumeric: boolean;
  sentAs: (name: string) => string;
}

export class ErrorTranslator {
  readonly #rows = new Map<string, ErrorRow[]>();

  constructor(rows: readonly ErrorRow[]) {
    for (const row of rows) {
      const key = `${row.surface} ${row.ours}`;
      this.#rows.set(key, [...(this.#rows.get(key) ?? []), row]);
    }
  }

  translate({ status, body }: TranslatedResponse, call: FailedCall): TranslatedResponse {
    const { code, message, data } = body as ErrorEnvelope;
    const row = this.#rows.get(`${call.surface} ${code}`)?.find((each) => matchesErrorRow(each, call));
    const answered = row?.status ?? status;
    const errors = data.errors?.map((each) => ({
      path: theirFieldPath(each.path, call),
      message: useMainwpNames(each.message, call),
    }));
    return {
      status: answered,
      body: {
        code: row?.code ?? toMainwpCode(code),
        message: mainwpMessageOf(message, data.errors ?? [], call),
        data: {
          ...data,
          ...(errors && { errors }),
          ...(errors && call.surface === 'v2' && { params: messagesByField(errors) }),
          status: answered,
        },
      },
    };
  }
}

function matchesErrorRow(
  { when }: ErrorRow,
  { hasBearer, isAbilityRun: isRun, isFirstParameterNumeric: byId }: FailedCall,
): boolean {
  switch (when) {
    case 'no bearer':
      return !hasBearer;
    case 'run':
      return isRun;
    case 'by id':
      return byId;
    default:
      return true;
  }
}

function theirFieldPath(path: string, { sentAs }: FailedCall): string {
  const [place = '', name, ...rest] = path.split('.');
  return name === undefined ? path : [place, toMainwpName(sentAs(name)), ...rest.map(toMainwpName)].join('.');
}

function mainwpMessageOf(
  message: string,
  errors: readonly { path: string; message: string }[],
  call: FailedCall,
): string {
  const named = errors.reduce((text, { path }) => text.replaceAll(path, theirFieldPath(path, call)), message);
  return useMainwpNames(named, call);
}

const useMainwpNames = (text: string, { sentAs }: FailedCall): string =>
  text.replace(/'([a-z_]+)'/g, (_, name: string) => `'${sentAs(name)}'`).replace(/\bsvc_([a-z])/g, 'mainwp_$1');

function messagesByField(errors: readonly { path: string; message: string }[]): Record<string, string> {
  return Object.fromEntries(errors.map(({ path, message }) => [path.replace(/^(body|query|params)\./, ''), message]));
}
