import type { RequestTranslation, TranslatedResponse } from '../../http/request-translation.ts';
import { HOUR, type Clock } from '../../shared/clock.ts';
import type { OperationPlan } from './operation-plan.ts';
import type { ErrorTranslator } from './error-translator.ts';
import type { SurfaceName } from '../generated-files.ts';
import type { TemplateSource } from './template.ts';

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface TranslationContext {
  surface: SurfaceName;
  method: string;
  url: string;
  hasBearer: boolean;
  isFirstParameterNumeric: boolean;
  plan: OperationPlan | null;
  errorTranslator: ErrorTranslator;
  translateCatalogue: ((body: unknown) => unknown) | null;
  translateUrl: (text: string) => string;
  clock: Clock;
}

export class RequestAndResponseTranslation implements RequestTranslation {
  readonly method: string;
  readonly url: string;
  readonly query: Fields | null;
  readonly body: RequestTranslation['body'];
  readonly #context: TranslationContext;
  #bodyFieldsInQuery: Fields = {};
  #sentFields: Fields = {};
  #input: Fields = {};
  #page: { page: number; perPage: number } | null = null;

  constructor(deps: TranslationContext, query: Fields | null) {
    const { plan, surface } = deps;
    this.#context = deps;
    this.method = deps.method;
    this.url = deps.url;
    this.query = query && this.#readQuery(query);
    this.body =
      !plan || (plan.takesBody && !/^(GET|HEAD|DELETE)$/.test(deps.method)) ? bodyFormatOf(surface) : 'ignored';
  }

  translateBody = (body: unknown): unknown => {
    const { plan, surface } = this.#context;
    if (!plan || this.body === 'ignored') return body;
    const fields = isFields(body) ? body : {};
    if (surface === 'v2') return this.#readFields({ ...this.#bodyFieldsInQuery, ...fields }, plan);
    const input = fields['input'] ?? {};
    return { input: Array.isArray(input) && input.length === 0 ? {} : this.#readInput(input, plan) };
  };

  translateResponse = (answer: TranslatedResponse): TranslatedResponse => {
    const { plan, translateCatalogue: catalogue, errorTranslator: refusals } = this.#context;
    const { status, body } = answer;
    if (status >= 400) return refusals.translate(answer, this.#failedCall());
    if (catalogue) return { status, body: catalogue(body) };
    return plan
      ? { status, body: this.#applyTemplates(plan, plan.rewriteResponse ? plan.rewriteResponse(body) : body) }
      : answer;
  };

  translateLink = (link: string): string =>
    link.replace(/<([^>]*)>/g, (_, url: string) => `<${this.#context.translateUrl(url)}>`);

  /**
   * Translates a chunk of a streamed response about several sites. Only the last chunk, with the errors, contains names
   * to translate.
   */
  translateChunk = (text: string): string =>
    text.startsWith('},"errors":[') ? text.replaceAll('"code":"svc_', '"code":"mainwp_') : text;

  #failedCall(): Parameters<ErrorTranslator['translate']>[1] {
    const { surface, hasBearer, isFirstParameterNumeric: byId, url, plan } = this.#context;
    const sentAs = (name: string): string =>
      Object.hasOwn(this.#sentFields, name) ? name : (plan?.theirNames.get(name) ?? name);
    return { surface, hasBearer, isFirstParameterNumeric: byId, isAbilityRun: /\/run\/?(\?|$)/.test(url), sentAs };
  }

  #readQuery(query: Fields): Fields {
    const { plan } = this.#context;
    if (!plan) return query;
    if (plan.queryNames) return this.#readQueryFields(query, plan, plan.queryNames);
    if (plan.takesBody) return {};
    const input = parseInput(query['input']);
    if (input === undefined) return plan.hasInputRules ? { input: this.#readInput({}, plan) } : {};
    return { input: plan.hasInputRules ? this.#readInput(input, plan) : input };
  }

  #readQueryFields(query: Fields, plan: OperationPlan, known: ReadonlySet<string>): Fields {
    const read: Fields = {};
    for (const [sent, value] of Object.entries(query)) {
      const ours = plan.queryAliases.get(sent);
      const name = ours !== undefined && known.has(ours) ? ours : sent;
      if (name !== sent && Object.hasOwn(query, name)) continue;
      if (known.has(name)) read[name] = translateValues(plan, name, value);
      else if (plan.takesBody && plan.bodyNames.has(sent)) this.#bodyFieldsInQuery[sent] = value;
    }
    for (const [name, value] of plan.defaults)
      if (known.has(name) && !Object.hasOwn(read, name) && !Object.hasOwn(read, '_fields'))
        read[name] = this.#resolveDefault(value);
    this.#sentFields = query;
    return read;
  }

  #readInput(input: unknown, plan: OperationPlan): unknown {
    if (!isFields(input)) return input;
    const { paged } = plan;
    const { page, per_page: perPage, ...rest } = input;
    if (paged)
      this.#page = {
        page: positiveIntegerOr(page, 1),
        perPage: Math.min(paged.max, positiveIntegerOr(perPage, paged.perPage)),
      };
    return this.#readFields(paged ? rest : input, plan);
  }

  #readFields(fields: Fields, plan: OperationPlan): unknown {
    this.#sentFields = fields;
    const read = plan.readBody(fields) as Fields;
    for (const [name, value] of plan.defaults)
      if (!Object.hasOwn(read, name) && (plan.queryNames === null || plan.bodyNames.has(name)))
        read[name] = this.#resolveDefault(value);
    this.#input = read;
    return read;
  }

  #resolveDefault(value: unknown): unknown {
    if (!isFields(value)) return value;
    const at = this.#context.clock.now() - Number(value['days_ago']) * 24 * HOUR;
    return new Date(at).toISOString().slice(0, 10);
  }

  #applyTemplates(plan: OperationPlan, body: unknown): unknown {
    if (!isFields(body) || (plan.responseFields.length === 0 && plan.itemFields.length === 0 && !plan.paged))
      return body;
    const source: TemplateSource = { answer: body, input: this.#input };
    const shaped: Fields = { ...body };
    for (const { of, add } of plan.itemFields) {
      const list = shaped[of];
      if (!Array.isArray(list)) continue;
      const each: TemplateSource = { ...source, item: null };
      shaped[of] = list.map((item: unknown) => {
        each.item = item;
        return addTemplateFields(item, add, each);
      });
    }
    for (const [name, render] of plan.responseFields) {
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

const bodyFormatOf = (surface: SurfaceName): RequestTranslation['body'] => (surface === 'v2' ? 'json or form' : 'json');

function addTemplateFields(item: unknown, add: OperationPlan['responseFields'], source: TemplateSource): unknown {
  if (!isFields(item)) return item;
  const added: Fields = {};
  for (const [name, render] of add) {
    const value = render(source);
    if (value !== undefined) added[name] = value;
  }
  // `Object.assign` is several times as fast as a spread with additional fields.
  return Object.assign({}, item, added);
}

function translateValues({ valueMaps: words }: OperationPlan, name: string, value: unknown): unknown {
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
 * Parses the input in a query, whose brackets are already parsed. An empty value means no input, and a JSON text is
 * parsed.
 */
function parseInput(input: unknown): unknown {
  if (input === undefined || input === '' || (Array.isArray(input) && input.length === 0)) return undefined;
  if (typeof input !== 'string' || !input.startsWith('{')) return input;
  try {
    return JSON.parse(input) as unknown;
  } catch {
    return input;
  }
}

function positiveIntegerOr(value: unknown, otherwise: number): number {
  const number = Number(value);
  return Number.isInteger(number) && number >= 1 ? number : otherwise;
}
