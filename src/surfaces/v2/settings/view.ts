import { SETTINGS } from '../../../../generated/settings.ts';
import type { components } from '../../../../generated/v2.ts';
import type { Group } from '../../../domains/settings/index.ts';

/** A group in the list of all; `activeModules` are slugs. */
export function groupView(
  slug: Group,
  base: string,
  activeModules: ReadonlySet<string>,
): components['schemas']['SettingsGroup'] {
  const { title, description, module, edit, fields } = SETTINGS[slug];
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
