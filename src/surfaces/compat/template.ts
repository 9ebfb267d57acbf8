import type { Template } from './table/row-types.ts';

type Fields = Record<string, unknown>;

export interface TemplateSource {
  answer: unknown;
  input: Fields;
  item?: unknown;
}
export type Render = (source: TemplateSource) => unknown;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function compileTemplate(template: Template): Render {
  if (typeof template === 'string') return compileText(template);
  if (Array.isArray(template)) {
    const parts = (template as readonly Template[]).map(compileTemplate);
    return (source) => parts.map((part) => part(source)).filter((value) => value !== undefined);
  }
  if (typeof template !== 'object' || template === null) return () => template;
  const entries = Object.entries(template as Record<string, Template>);
  const [[name, argument] = ['', null]] = entries;
  if (entries.length === 1 && Object.hasOwn(FUNCTIONS, name))
    return (FUNCTIONS[name] as TemplateFunctionCompiler)(argument);
  const fields = entries.map(([key, each]) => [key, compileTemplate(each)] as const);
  return (source) => renderObject(fields, source);
}

function renderObject(fields: readonly (readonly [string, Render])[], source: TemplateSource): Fields | undefined {
  const made: Fields = {};
  let some = false;
  for (const [name, render] of fields) {
    const value = render(source);
    if (value === undefined) continue;
    made[name] = value;
    some = true;
  }
  return some || fields.length === 0 ? made : undefined;
}

function compileText(text: string): Render {
  const [, root = '', rest = ''] = /^(\$in|\$|@)(?:\.(.+))?$/.exec(text) ?? [];
  if (root === '') return () => text;
  const keys = rest === '' ? [] : rest.split('.');
  return (source) => {
    let value: unknown = root === '$in' ? source.input : root === '$' ? source.answer : source.item;
    for (const key of keys) {
      if (typeof value !== 'object' || value === null) return undefined;
      value = (value as Fields)[key];
    }
    return value;
  };
}

type TemplateFunctionCompiler = (argument: Template) => Render;
const asTemplatePair = (argument: Template): readonly [Template, Template] => argument as readonly [Template, Template];

const FUNCTIONS: Readonly<Record<string, TemplateFunctionCompiler>> = {
  $seconds: (argument) => {
    const render = compileTemplate(argument);
    return (source) => {
      const value = render(source);
      return typeof value === 'number' ? value / 1000 : undefined;
    };
  },
  $count: (argument) => {
    const render = compileTemplate(argument);
    return (source) => {
      const value = render(source);
      return Array.isArray(value) ? value.length : undefined;
    };
  },
  $is: (argument) => {
    const [left, right] = asTemplatePair(argument).map(compileTemplate) as [Render, Render];
    return (source) => {
      const value = left(source);
      return value === undefined ? undefined : Number(value === right(source));
    };
  },
  $each: (argument) => {
    const [list, each] = asTemplatePair(argument).map(compileTemplate) as [Render, Render];
    return (source) => {
      const items = list(source);
      return Array.isArray(items) ? items.map((item) => each({ ...source, item })) : undefined;
    };
  },
  /** Makes an object of a list. The second argument is the template for the key of an item, the third for its value. */
  $keyed: (argument) => {
    const [list, key, each] = (argument as readonly Template[]).map(compileTemplate) as [Render, Render, Render];
    return (source) => {
      const items = list(source);
      if (!Array.isArray(items)) return undefined;
      return Object.fromEntries(
        items.map((item) => [String(key({ ...source, item })), each({ ...source, item })] as const),
      );
    };
  },
  /** Joins objects into one. Later objects win. Undefined if the first is missing. */
  $join: (argument) => {
    const [first, ...parts] = (argument as readonly Template[]).map(compileTemplate) as [Render, ...Render[]];
    return (source) => {
      const begun = first(source);
      if (!isFields(begun)) return undefined;
      return parts.reduce<Fields>((joined, part) => ({ ...joined, ...(part(source) as Fields | undefined) }), begun);
    };
  },
};
