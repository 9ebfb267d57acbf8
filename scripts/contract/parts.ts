import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import {
  isAlternativeVerb,
  operationsOf,
  siteParameterRuleOf,
  type SiteParameterRule,
} from '../../src/contract/index.ts';
import { SURFACES, type Surface } from '../../src/contract/surfaces.ts';
import type { Document } from './document.ts';

interface PlacedOperation {
  id: string;
  path: string;
  /** The folder of the file; the part that the operation belongs to. */
  part: string;
  file: string;
  site: SiteParameterRule | null;
}

/** The files of the paths of a surface. */
type Contents = Record<string, { $ref: string }>;

function readContents(surface: Surface): Contents {
  const source = readFileSync(new URL(`../../openapi/${surface}/openapi.yaml`, import.meta.url), 'utf8');
  return (parse(source) as { paths: Contents }).paths;
}

/** Returns the operations of a surface with their files, in the order of `paths` in `openapi.yaml`. */
export function operationsByPart(
  surface: Surface,
  document: Document,
  contents = readContents(surface),
): PlacedOperation[] {
  return operationsOf(document)
    .filter(({ operation }) => !isAlternativeVerb(operation))
    .map((place) => {
      const [part = '', file = ''] = contents[place.path]?.$ref.split('/') ?? [];
      const site = siteParameterRuleOf(document, place);
      return { id: place.operation.operationId, path: place.path, part, file, site };
    });
}

function groupBy(
  places: readonly PlacedOperation[],
  key: (place: PlacedOperation) => string,
): [string, PlacedOperation[]][] {
  const groups = new Map<string, PlacedOperation[]>();
  for (const place of places) groups.set(key(place), [...(groups.get(key(place)) ?? []), place]);
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
}

/**
 * `generated/parts.ts`: the operations of each part, by the folders that they are written down in, and those that are
 * about one site: `named` where their caller must name it.
 */
export function partsModule(documents: Record<Surface, Document>): string {
  const lines = SURFACES.flatMap((surface) => {
    const all = operationsByPart(surface, documents[surface]);
    const name = surface === 'v2' ? 'V2' : 'Abilities';
    return [
      `export interface ${name}Parts {`,
      ...groupBy(all, ({ part }) => part).map(
        ([part, places]) => `  '${part}': ${places.map(({ id }) => `'${id}'`).join(' | ')};`,
      ),
      '}',
      `export interface ${name}OfSite {`,
      ...all.flatMap(({ id, site }) => (site ? [`  '${id}': '${site.required ? 'named' : 'optional'}';`] : [])),
      '}',
    ];
  });
  return `${lines.join('\n')}\n`;
}

/**
 * Files that are not called as the id of an operation in them; on v2 the name of the part is left out. A path has one
 * file, which the first of its verbs names; the others are of the same part.
 */
export function misnamedFiles(surface: Surface, document: Document, contents = readContents(surface)): string[] {
  const paths = groupBy(operationsByPart(surface, document, contents), ({ path }) => path);
  return paths.flatMap(([, [first, ...others]]) => {
    const { id, part, file } = first as PlacedOperation;
    const words = id.replaceAll('_', '-');
    const wanted = `${surface === 'v2' ? words.replace(new RegExp(`^${part}-`), '') : words}.yaml`;
    const place = `openapi/${surface}/${part}/${file}`;
    return [
      ...(file === wanted ? [] : [`${place} holds ${id}, and is called ${part}/${wanted} then.`]),
      ...others
        .filter((other) => firstWord(other.id) !== firstWord(id))
        .map((other) => `${place} holds ${id} and ${other.id}, which are of two parts.`),
    ];
  });
}

const firstWord = (id: string): string | undefined => id.split('_')[0];
