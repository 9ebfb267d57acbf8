import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { isFurtherVerb, operationsOf, siteReferenceOf, type SiteReference } from '../../src/contract/index.ts';
import { SURFACES, type Surface } from './surfaces.ts';
import type { Document } from './document.ts';
import { writtenOut, type Source } from './short/index.ts';

interface Place {
  id: string;
  /** The folder of the file; the part that the operation belongs to. */
  part: string;
  file: string;
  site: SiteReference | null;
  fragment: string;
}

interface TableOfContents {
  paths: Record<string, { $ref: string }>;
}

/** Where the operations of a surface are written down, in the order of its table of contents. */
export function placesOf(surface: Surface, document: Document): Place[] {
  const source = readFileSync(new URL(`../../openapi/${surface}/openapi.yaml`, import.meta.url), 'utf8');
  const { paths } = writtenOut(`${surface}/openapi.yaml`, parse(source) as Source) as unknown as TableOfContents;
  return operationsOf(document)
    .filter(({ operation }) => !isFurtherVerb(operation))
    .map((place) => {
      const [part = '', file = '', , fragment = ''] = paths[place.path]?.$ref.split(/[/#]/) ?? [];
      return { id: place.operation.operationId, part, file, fragment, site: siteReferenceOf(document, place) };
    });
}

function grouped(places: readonly Place[], key: (place: Place) => string): [string, Place[]][] {
  const groups = new Map<string, Place[]>();
  for (const place of places) groups.set(key(place), [...(groups.get(key(place)) ?? []), place]);
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
}

/**
 * `generated/parts.ts`: the operations of each part, by the folders that they are written down in, and those that are
 * about one site: `named` where their caller must name it.
 */
export function partsOf(documents: Record<Surface, Document>): string {
  const lines = SURFACES.flatMap((surface) => {
    const all = placesOf(surface, documents[surface]);
    const name = surface === 'v2' ? 'V2' : 'Abilities';
    return [
      `export interface ${name}Parts {`,
      ...grouped(all, ({ part }) => part).map(
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

/** Files that are not called as the id of their first operation; on v2 the name of the part is left out. */
export function misnamed(surface: Surface, document: Document): string[] {
  return grouped(placesOf(surface, document), ({ part, file }) => `${part}/${file}`).flatMap(([file, [first]]) => {
    const { id, part, fragment } = first as Place;
    // A group of settings is read and edited by the routes of one file.
    const words = id.replaceAll('_', '-').replace(fragment === 'read' ? /-get$/ : '', '');
    const wanted = `${part}/${surface === 'v2' ? words.replace(new RegExp(`^${part}-`), '') : words}.yaml`;
    return file === wanted ? [] : [`openapi/${surface}/${file} holds ${id}, and is called ${wanted} then.`];
  });
}
