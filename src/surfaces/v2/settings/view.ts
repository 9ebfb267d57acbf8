import type { components } from '../../../../generated/v2.ts';

export interface SettingsGroupInfo {
  title: string;
  description: string;
  module: string | null;
  edit: string;
  fields: object;
}

export function groupView(
  slug: string,
  { title, description, module, edit, fields }: SettingsGroupInfo,
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
