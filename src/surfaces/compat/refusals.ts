import type { TranslatedAnswer } from '../../http/translation.ts';
import { theirCode, theirName } from './answer-rewriting.ts';
import type { RefusalRow, SurfaceOf } from './table/rows.ts';

interface Envelope {
  code: string;
  message: string;
  data: { status: number; errors?: { path: string; message: string }[]; [name: string]: unknown };
}

/** What a refusal is judged by. */
export interface RefusedCall {
  surface: SurfaceOf;
  hasBearer: boolean;
  isRun: boolean;
  byId: boolean;
  /** What the caller called a field of ours; the name itself where it has no other. */
  sentAs: (name: string) => string;
}

/** Refusals in the words of the established product. */
export class Refusals {
  readonly #rows = new Map<string, RefusalRow[]>();

  constructor(rows: readonly RefusalRow[]) {
    for (const row of rows) {
      const key = `${row.surface} ${row.ours}`;
      this.#rows.set(key, [...(this.#rows.get(key) ?? []), row]);
    }
  }

  inTheirWords({ status, body }: TranslatedAnswer, call: RefusedCall): TranslatedAnswer {
    const { code, message, data } = body as Envelope;
    const row = this.#rows.get(`${call.surface} ${code}`)?.find((each) => fits(each, call));
    const answered = row?.status ?? status;
    const errors = data.errors?.map((each) => ({
      path: theirPath(each.path, call),
      message: theirNames(each.message, call),
    }));
    return {
      status: answered,
      body: {
        code: row?.code ?? theirCode(code),
        message: theirText(message, data.errors ?? [], call),
        data: {
          ...data,
          ...(errors && { errors }),
          ...(errors && call.surface === 'v2' && { params: paramsOf(errors) }),
          status: answered,
        },
      },
    };
  }
}

function fits({ when }: RefusalRow, { hasBearer, isRun, byId }: RefusedCall): boolean {
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

function theirPath(path: string, { sentAs }: RefusedCall): string {
  const [place = '', name, ...rest] = path.split('.');
  return name === undefined ? path : [place, theirName(sentAs(name)), ...rest.map(theirName)].join('.');
}

/** A sentence names the fields that are wrong by their paths, and one that is missing by its name. */
function theirText(message: string, errors: readonly { path: string; message: string }[], call: RefusedCall): string {
  const named = errors.reduce((text, { path }) => text.replaceAll(path, theirPath(path, call)), message);
  return theirNames(named, call);
}

const theirNames = (text: string, { sentAs }: RefusedCall): string =>
  text.replace(/'([a-z_]+)'/g, (_, name: string) => `'${sentAs(name)}'`).replace(/\bsvc_([a-z])/g, 'mainwp_$1');

/** `{name: what is wrong}`, as the established product tells it. */
function paramsOf(errors: readonly { path: string; message: string }[]): Record<string, string> {
  return Object.fromEntries(errors.map(({ path, message }) => [path.replace(/^(body|query|params)\./, ''), message]));
}
