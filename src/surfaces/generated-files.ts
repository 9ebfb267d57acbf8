import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Contract } from '../contract/index.ts';

export type SurfaceName = 'abilities' | 'v2';

/** The search goes upwards from the folder of this file, because the file runs from the sources and from the build. */
export const GENERATED_FOLDER = findGenerated(import.meta.dirname);

function findGenerated(from: string): string {
  const here = join(from, 'generated');
  if (existsSync(join(here, 'v2.openapi.json'))) return here;
  if (dirname(from) === from) throw new Error('The folder generated/ is missing.');
  return findGenerated(dirname(from));
}

export const contractText = (surface: SurfaceName): string =>
  readFileSync(join(GENERATED_FOLDER, `${surface}.openapi.json`), 'utf8');

const contracts = new Map<SurfaceName, Contract>();

/** Reads a contract. Returns the same object each time, which callers must not change. */
export function readContract(surface: SurfaceName): Contract {
  const contract = contracts.get(surface) ?? (JSON.parse(contractText(surface)) as Contract);
  contracts.set(surface, contract);
  return contract;
}
