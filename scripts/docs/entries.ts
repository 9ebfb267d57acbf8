/** What the reference has an entry for: the operations of a surface, each with its further verbs. */
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
import { SURFACES, type Surface } from '../contract/surfaces.ts';

export interface OperationEntry {
  surface: Surface;
  contract: Contract;
  /** Of the operation, and of its page. */
  id: string;
  part: string;
  title: string;
  description: string;
  place: LocatedOperation;
  /** Other verbs, or another address, by which the same is done. */
  furtherVerbs: { method: string; address: string; id: string }[];
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
  /** Markdown, for all operations of the surface. */
  description: string;
  contract: Contract;
  parts: Part[];
  /** What the contract tells under a heading of its own. */
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
        furtherVerbs: places
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
/** Without `/docs` and an ending. */
export const pageAddressOf = ({ surface, id }: Pick<OperationEntry, 'surface' | 'id'>): string =>
  `/reference/${surface}/${id}`;
