/** Operations of each surface. An operation with several HTTP methods is one entry. */
import { readFileSync } from 'node:fs';
import {
  basePathOf,
  isAlternativeVerb,
  operationsOf,
  descriptionWithoutErrors,
  type Contract,
  type ContractOperation,
  type LocatedOperation,
} from '../../src/contract/index.ts';
import { SURFACES, type Surface } from '../../src/contract/surfaces.ts';

export interface OperationEntry {
  surface: Surface;
  contract: Contract;
  /** Operation ID. The address of the page ends with it. */
  id: string;
  part: string;
  title: string;
  description: string;
  place: LocatedOperation;
  /** Further methods and paths of the same operation. */
  alternatives: { method: string; address: string; id: string }[];
}

export interface Part {
  name: string;
  description: string;
  entries: OperationEntry[];
}

export interface SurfaceDocument {
  surface: Surface;
  title: string;
  summary: string;
  /** Markdown. */
  description: string;
  contract: Contract;
  parts: Part[];
  /** Tags without operations. Their descriptions are shown as chapters. */
  chapters: { name: string; description: string }[];
}

interface DocumentTexts {
  info: { title: string; summary: string; description: string };
  tags: { name: string; description?: string }[];
}

const FOLDER = 'generated';

export const surfaceDocuments = (): SurfaceDocument[] => SURFACES.map(documentOf);

function documentOf(surface: Surface): SurfaceDocument {
  const contract = JSON.parse(readFileSync(`${FOLDER}/${surface}.openapi.json`, 'utf8')) as Contract & DocumentTexts;
  const entries = entriesOf(surface, contract);
  const { info, tags } = contract;
  const parts = tags.map(({ name, description = '' }) => ({
    name,
    description,
    entries: entries.filter(({ part }) => part === name),
  }));
  return {
    surface,
    ...info,
    contract,
    parts: parts.filter((part) => part.entries.length > 0),
    chapters: parts.filter((part) => part.entries.length === 0),
  };
}

function entriesOf(surface: Surface, contract: Contract): OperationEntry[] {
  const places = operationsOf(contract);
  return places
    .filter(({ operation }) => !isAlternativeVerb(operation))
    .map((place) => {
      const { operation, id } = place as LocatedOperation & { operation: ContractOperation & OperationTexts };
      return {
        surface,
        contract,
        id,
        part: operation.tags?.[0] ?? '',
        title: operation.summary ?? id,
        description: descriptionWithoutErrors(operation),
        place,
        alternatives: places
          .filter((other) => other.id === id && isAlternativeVerb(other.operation))
          .map((other) => ({
            method: other.verb.toUpperCase(),
            address: basePathOf(contract) + other.path,
            id: other.operation.operationId,
          })),
      };
    });
}

interface OperationTexts {
  tags?: string[];
  description?: string;
}

export const methodOf = ({ place }: OperationEntry): string => place.verb.toUpperCase();
export const addressOf = ({ contract, place }: OperationEntry): string => basePathOf(contract) + place.path;
/** Path below `/docs`, without a file extension. */
export const pageAddressOf = ({ surface, id }: Pick<OperationEntry, 'surface' | 'id'>): string =>
  `/reference/${surface}/${id}`;
