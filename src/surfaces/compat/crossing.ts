import type { RequestTranslation, TranslatedResponse } from '../../http/request-translation.ts';
import { HOUR, type Clock } from '../../shared/clock.ts';
import type { OperationPlan } from './operation-plan.ts';
import type { Refusals } from './refusals.ts';
import type { SurfaceOf } from './table/rows.ts';
import type { Source } from './template.ts';

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface CrossingParts {
  surface: SurfaceOf;
  method: string;
  url: string;
  hasBearer: boolean;
  /** True if the first parameter of the path is a number. */
  byId: boolean;
  /** Null if no operation matches. */
  plan: OperationPlan | null;
  refusals: Refusals;
  /** Converts the catalogue of abilities. Null if the call does not read the catalogue. */
  catalogue: ((body: unknown) => unknown) | null;
  address: (text: string) => string;
  clock: Clock;
}

/** Translates one call and its response according to the plan of the operation. */
export class PlannedCrossing implements RequestTranslation {
  readonly method: string;
  readonly url: string;
  readonly query: Fields | null;
  readonly body: RequestTranslation['body'];
  readonly #parts: CrossingParts;
  /** Body fields that were sent in the query. */
  #besides: Fields = {};
  #sent: Fields = {};
  /** Translated body or input. Response templates can refer to it. */
  #input: Fields = {};
  #page: { page: number; perPage: number } | null = null;

  constructor(deps: CrossingParts, query: Fields | null) {
    const { plan, surface } = deps;
    this.#parts = deps;
    this.method = deps.method;
    this.url = deps.url;
    this.query = query && this.#readQuery(query);
    this.body = !plan || (plan.takesBody && !/^(GET|HEAD|DELETE)$/.test(deps.method)) ? formOf(surface) : 'ignored';
  }

  translateBody = (body: unknown): unknown => {
    const { plan, surface } = this.#parts;
    if (!plan || this.body === 'ignored') return body;
    const fields = isFields(body) ? body : {};
    if (surface === 'v2') return this.#readFields({ ...this.#besides, ...fields }, plan);
    // Fields next to `input` are ignored.
    const input = fields['input'] ?? {};
    return { input: Array.isArray(input) && input.length === 0 ? {} : this.#readInput(input, plan) };
  };

  translateResponse = (answer: TranslatedResponse): TranslatedResponse => {
    const { plan, catalogue, refusals } = this.#parts;
    const { status, body } = answer;
    if (status >= 400) return refusals.inTheirWords(answer, this.#call());
    if (catalogue) return { status, body: catalogue(body) };
    return plan ? { status, body: this.#shaped(plan, plan.rewrite ? plan.rewrite(body) : body) } : answer;
  };

  translateLink = (link: string): string =>
    link.replace(/<([^>]*)>/g, (_, url: string) => `<${this.#parts.address(url)}>`);

  /** Renames error codes. A list over several sites is streamed, and its errors are a separate last chunk. */
  translateChunk = (text: string): string =>
    text.startsWith('},"errors":[') ? text.replaceAll('"code":"svc_', '"code":"mainwp_') : text;

  #call(): Parameters<Refusals['inTheirWords']>[1] {
    const { surface, hasBearer, byId, url, plan } = this.#parts;
    const sentAs = (name: string): string =>
      Object.hasOwn(this.#sent, name) ? name : (plan?.theirNames.get(name) ?? name);
    return { surface, hasBearer, byId, isRun: /\/run\/?(\?|$)/.test(url), sentAs };
  }

  #readQuery(query: Fields): Fields {
    const { plan } = this.#parts;
    if (!plan) return query;
    if (plan.queryNames) return this.#readNames(query, plan, plan.queryNames);
    if (plan.takesBody) return {};
    const input = inputIn(query['input']);
    // Fields next to `input` are ignored.
    if (input === undefined) return plan.readsQuery ? { input: this.#readInput({}, plan) } : {};
    return { input: plan.readsQuery ? this.#readInput(input, plan) : input };
  }

  #readNames(query: Fields, plan: OperationPlan, known: ReadonlySet<string>): Fields {
    const read: Fields = {};
    for (const [sent, value] of Object.entries(query)) {
      const ours = plan.queryAliases.get(sent);
      const name = ours !== undefined && known.has(ours) ? ours : sent;
      if (name !== sent && Object.hasOwn(query, name)) continue;
      if (known.has(name)) read[name] = worded(plan, name, value);
      else if (plan.takesBody && plan.bodyNames.has(sent)) this.#besides[sent] = value;
    }
    for (const [name, value] of plan.defaults)
      if (known.has(name) && !Object.hasOwn(read, name) && !Object.hasOwn(read, '_fields'))
        read[name] = this.#default(value);
    this.#sent = query;
    return read;
  }

  #readInput(input: unknown, plan: OperationPlan): unknown {
    if (!isFields(input)) return input;
    const { paged } = plan;
    const { page, per_page: perPage, ...rest } = input;
    if (paged)
      this.#page = { page: wholeNumber(page, 1), perPage: Math.min(paged.max, wholeNumber(perPage, paged.perPage)) };
    return this.#readFields(paged ? rest : input, plan);
  }

  #readFields(fields: Fields, plan: OperationPlan): unknown {
    this.#sent = fields;
    const read = plan.read(fields) as Fields;
    for (const [name, value] of plan.defaults)
      if (!Object.hasOwn(read, name) && (plan.queryNames === null || plan.bodyNames.has(name)))
        read[name] = this.#default(value);
    this.#input = read;
    return read;
  }

  #default(value: unknown): unknown {
    if (!isFields(value)) return value;
    const at = this.#parts.clock.now() - Number(value['days_ago']) * 24 * HOUR;
    return new Date(at).toISOString().slice(0, 10);
  }

  #shaped(plan: OperationPlan, body: unknown): unknown {
    if (!isFields(body) || (plan.answer.length === 0 && plan.items.length === 0 && !plan.paged)) return body;
    const source: Source = { answer: body, input: this.#input };
    const shaped: Fields = { ...body };
    for (const { of, add } of plan.items) {
      const list = shaped[of];
      if (!Array.isArray(list)) continue;
      const each: Source = { ...source, item: null };
      shaped[of] = list.map((item: unknown) => {
        each.item = item;
        return withFields(item, add, each);
      });
    }
    for (const [name, render] of plan.answer) {
      const value = render(source);
      if (value !== undefined) shaped[name] = value;
    }
    if (plan.paged) this.#cutPage(shaped, plan.paged);
    return shaped;
  }

  #cutPage(shaped: Fields, { from, as, perPage: usual }: NonNullable<OperationPlan['paged']>): void {
    const { page, perPage } = this.#page ?? { page: 1, perPage: usual };
    const all = shaped[from];
    delete shaped[from];
    if (Array.isArray(all)) Object.assign(shaped, { [as]: all.slice((page - 1) * perPage, page * perPage) });
    Object.assign(shaped, { page, per_page: perPage });
  }
}

const formOf = (surface: SurfaceOf): RequestTranslation['body'] => (surface === 'v2' ? 'json or form' : 'json');

function withFields(item: unknown, add: OperationPlan['answer'], source: Source): unknown {
  if (!isFields(item)) return item;
  const added: Fields = {};
  for (const [name, render] of add) {
    const value = render(source);
    if (value !== undefined) added[name] = value;
  }
  // Several times as fast as an object spread with additional fields.
  return Object.assign({}, item, added);
}

function worded({ words }: OperationPlan, name: string, value: unknown): unknown {
  const known = words.get(name);
  if (!known) return value;
  const one = (text: unknown): unknown =>
    typeof text === 'string'
      ? text
          .split(',')
          .map((part) => (Object.hasOwn(known, part.trim()) ? known[part.trim()] : part))
          .join(',')
      : text;
  return Array.isArray(value) ? value.map(one) : one(value);
}

/**
 * Returns the input of a query whose brackets are already parsed. An empty value means no input. A JSON text is parsed,
 * as it is on the paths of this service.
 */
function inputIn(input: unknown): unknown {
  if (input === undefined || input === '' || (Array.isArray(input) && input.length === 0)) return undefined;
  if (typeof input !== 'string' || !input.startsWith('{')) return input;
  try {
    return JSON.parse(input) as unknown;
  } catch {
    return input;
  }
}

function wholeNumber(value: unknown, otherwise: number): number {
  const number = Number(value);
  return Number.isInteger(number) && number >= 1 ? number : otherwise;
}
