import type { components } from '../../../../generated/v2.ts';

/** What the list of all groups needs to know of one. */
export interface ListedGroup {
  title: string;
  description: string;
  module: string | null;
  /** Path of its edit. */
  edit: string;
  fields: object;
}

/** A group in the list of all; `activeModules` are slugs. */
export function groupView(
  slug: string,
  { title, description, module, edit, fields }: ListedGroup,
  { base, activeModules }: { base: string; activeModules: ReadonlySet<string> },
): components['schemas']['SettingsGroup'] {
  return {
    slug,
    title,
    description,
    fields: Object.keys(fields).length,
    module,
    active: module === null || activeModules.has(module),
    links: { read: `${base}/settings/${slug}`, edit: base + edit },
  };
}
