import type { PackageKind } from './package.ts';
import type { ZipFile } from './zip-reader.ts';

/** Header of a plugin or theme, as WordPress reads it. Missing fields are ''. */
export interface ItemHeader {
  name: string;
  version: string;
  requiresWordpress: string;
  requiresPhp: string;
}

const NAME: Record<PackageKind, string> = { plugin: 'Plugin Name', theme: 'Theme Name' };

export function readItemHeader(kind: PackageKind, { head }: Pick<ZipFile, 'head'>): ItemHeader | null {
  const text = head.toString('utf8').replaceAll('\r', '\n');
  const name = headerField(text, NAME[kind]);
  if (name === '') return null;
  return {
    name,
    version: headerField(text, 'Version'),
    requiresWordpress: headerField(text, 'Requires at least'),
    requiresPhp: headerField(text, 'Requires PHP'),
  };
}

/** Returns the requirements in a `readme.txt`. The header of the plugin has precedence. */
export function readReadmeRequirements({ head }: Pick<ZipFile, 'head'>): Partial<ItemHeader> {
  const text = head.toString('utf8').replaceAll('\r', '\n');
  return { requiresWordpress: headerField(text, 'Requires at least'), requiresPhp: headerField(text, 'Requires PHP') };
}

/** Uses the expression with which WordPress finds a field. */
function headerField(text: string, field: string): string {
  const value = new RegExp(String.raw`^(?:[ \t]*<\?php)?[ \t/*#@]*${field}:(.*)$`, 'im').exec(text)?.[1] ?? '';
  return value
    .replace(/\s*(?:\*\/|\?>).*/, '')
    .trim()
    .slice(0, 255);
}
